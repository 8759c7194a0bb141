"""What tests of whole programs share."""

import pytest

from compiler_core.pipeline import order


@pytest.fixture
def undisassembled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipeline without its last stage, for tests that look at no machine code: a disassembler
    takes longer than all that was compiled."""
    stages = tuple(stage for stage in order.PIPELINE if stage.name != "disassemble")
    assert len(stages) == len(order.PIPELINE) - 1
    monkeypatch.setattr(order, "PIPELINE", stages)
