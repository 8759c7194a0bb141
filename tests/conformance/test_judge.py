"""What a verdict says, on programs of a line, with a core that is made to err."""

import pytest
import torch

from compiler_core.errors import REPORT_IT, FuselabError, LoweringError
from conformance import judge as judging
from conformance.built import Built
from conformance.judge import judge
from conformance.sample import Sample

pytestmark = pytest.mark.cpu

X = torch.linspace(-2, 2, 12).reshape(3, 4)


def sample(fn, *args, framework="torch", **more) -> Sample:
    return Sample("f", framework, fn, args, **more)


def given_instead(monkeypatch, *outputs):
    monkeypatch.setattr(Built, "run", lambda self: list(outputs))


def test_generated_code_is_native():
    assert judge(sample(lambda x: torch.relu(x) + 1, X)).kind == "native"


def test_a_jax_program_is_judged_too():
    import jax.numpy as jnp
    import numpy as np

    verdict = judge(sample(lambda x: jnp.tanh(x) * 2, np.ones((2, 3), "f4"), framework="jax"))
    assert verdict.kind == "native"


def test_an_argument_may_be_a_key():
    import jax

    verdict = judge(
        sample(lambda k: jax.random.uniform(k, (3,)), jax.random.key(0), framework="jax")
    )
    assert verdict.kind == "native"


def test_a_library_call_is_named():
    verdict = judge(sample(torch.linalg.inv, torch.eye(3)))
    assert verdict.kind == "library" and "linalg_inv" in verdict.reason


def test_other_numbers_are_wrong(monkeypatch):
    given_instead(monkeypatch, torch.relu(X) + 1.001)
    verdict = judge(sample(lambda x: torch.relu(x) + 1, X))
    assert verdict.kind == "wrong" and "off by 0.001" in verdict.reason


@pytest.mark.parametrize(
    "output", [X[:2], X.double(), X.clone().fill_(torch.nan)], ids=["shape", "type", "nan"]
)
def test_another_shape_type_or_nan_is_wrong(monkeypatch, output):
    given_instead(monkeypatch, output)
    assert judge(sample(lambda x: x * 1, X)).kind == "wrong"


def test_what_is_rounded_coarsely_is_judged_by_the_rule_of_the_report(monkeypatch):
    """Under autocast bfloat16 rounds products by hundredths: eager itself is off by them."""
    layer, x = torch.nn.Linear(64, 8), torch.linspace(-1, 1, 256).reshape(4, 64)

    def f(x):
        with torch.autocast("cpu", torch.bfloat16):
            return layer(x).float()

    with torch.no_grad():
        own, exact = f(x), layer(x)
    given_instead(monkeypatch, own + (exact - own) / 2)
    assert judge(sample(f, x)).kind == "native"
    given_instead(monkeypatch, own + 1)
    assert judge(sample(f, x)).kind == "wrong"


def test_a_write_that_is_left_out_is_wrong(monkeypatch):
    given_instead(monkeypatch, X * 2, X)

    def f(x):
        x.add_(1)
        return (x - 1) * 2

    assert judge(sample(f, X)).kind == "wrong"


def test_an_argument_that_is_written_to_is_compared():
    def f(x):
        x.add_(1)
        return x * 2

    assert judge(sample(f, X)).kind == "native"


def test_a_tensor_that_is_closed_over_and_written_to_is_compared(monkeypatch):
    count = torch.zeros(4)

    def counting(x):
        count.add_(1)
        return x + count

    assert judge(sample(counting, X)).kind == "native"
    assert torch.equal(count, torch.zeros(4))
    given_instead(monkeypatch, X + 1, count)
    assert judge(sample(counting, X)).kind == "wrong"


def test_numbers_of_several_graphs_are_compared(monkeypatch):
    def branching(x):
        return x.exp(), float(x.sum()), x.numel() + int(x.argmax())

    assert judge(sample(branching, X)).kind == "native"
    found, *numbers = (X.exp(), X.sum(), torch.tensor(23))
    given_instead(monkeypatch, found, *numbers, X)
    assert judge(sample(branching, X)).kind == "native"
    given_instead(monkeypatch, found, numbers[0] + 1, numbers[1], X)
    assert judge(sample(branching, X)).kind == "wrong"


def test_gradients_are_compared():
    def f(x):
        y = (x * x).sum()
        y.backward()
        return y

    assert judge(sample(f, X.clone().requires_grad_())).kind == "native"


def test_a_seed_that_the_program_sets_is_set():
    def f(x):
        torch.manual_seed(3)
        return x + torch.randn(3, 4)

    assert judge(sample(f, X)).kind == "library"


def test_uninitialised_memory_is_compared_by_shape_and_type_alone(monkeypatch):
    given_instead(monkeypatch, torch.ones(3, 4))
    assert judge(sample(torch.zeros_like, X, only_types=True)).kind == "native"


def test_what_the_framework_does_not_run_is_invalid():
    assert judge(sample(lambda x: x @ x, X)).kind == "invalid"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (FuselabError("not this", remedy="another"), "refused"),
        (FuselabError("oh", remedy=REPORT_IT), "fault"),
        (LoweringError("oh"), "fault"),
        (ValueError("oh"), "fault"),
    ],
)
def test_an_exception_is_a_refusal_only_where_it_gives_a_reason_of_the_program(
    monkeypatch, error, kind
):
    def raising(sample):
        raise error

    monkeypatch.setattr(judging, "build", raising)
    assert judge(sample(torch.relu, X)).kind == kind
