"""What tests of whole programs share."""

from collections.abc import Iterator

import pytest
import torch._dynamo

from compiler_core.measure import run
from compiler_core.pipeline import first_calls
from compiler_core.pipeline.trials import comparison as trial_comparison


@pytest.fixture(autouse=True)
def dynamos_settings_kept() -> Iterator[None]:
    """What a snippet sets in torch._dynamo.config is its own, as in a worker, where each run has a
    process: a later test's program breaks where torch breaks by default."""
    before = torch._dynamo.config.get_config_copy()
    yield
    for name, value in torch._dynamo.config.get_config_copy().items():
        if value != before[name]:  # touching a deprecated one warns
            setattr(torch._dynamo.config, name, before[name])


@pytest.fixture
def measured_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that look at what is said of times, and not at the times."""
    whole = run.sample
    monkeypatch.setattr(
        run, "sample", lambda *given, **how: whole(*given, **how | {"budget_s": 0.02})
    )


@pytest.fixture
def few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of remedies that are tried."""
    monkeypatch.setattr(trial_comparison, "BUDGET_S", 0.02)
    monkeypatch.setattr(first_calls, "_ROUNDS", 2)
