"""A program measured the whole way: real calls, real clock."""

from dataclasses import replace

import jax
import pytest
import torch

from compiler_core import capture
from compiler_core.measure import bandwidth, run
from compiler_core.measure.runnable import Costs, Runnable, core, eager
from compiler_core.measure.timings import measurement
from compiler_core.pipeline.one_graph import compile_graph
from compiler_core.snippet.program import FoundProgram

pytestmark = pytest.mark.cpu

X = torch.linspace(-3, 3, 3000)


def program(x):
    return torch.nn.functional.gelu(x) * 2


@pytest.fixture(scope="module")
def captured():
    return capture.capture(FoundProgram("program", "torch", 1, program, (X,)))


def test_timings_and_errors_of_every_compiler(captured):
    right = core(lambda xs: [program(xs[0])], Costs(1.0, 2.0, 4.0))
    measured = run.measure(
        {"eager": eager(captured, "torch"), "core": right}, captured, budget_s=0.5
    )
    timing = measured.timings["core"]
    assert timing.samples >= 20 and timing.p25_us <= timing.median_us <= timing.p75_us
    assert (timing.capture_ms, timing.compile_ms, timing.first_call_ms) == (1.0, 2.0, 4.0)
    assert timing.speedup_low <= timing.speedup <= timing.speedup_high
    assert measured.numerics["core"].ok
    found = measurement(measured.sampled, measured.notes)
    assert found.blocks == 12 and found.rounds == timing.samples and found.seconds > 0.5
    assert "fresh inputs" in " ".join(found.notes)


def test_a_program_that_returns_an_old_result_is_found_out(captured):
    """Fresh inputs, and the outputs of timed calls are the ones that are checked."""
    stale = [program(X)]
    cheat = Runnable(tuple, lambda _: stale, list)
    measured = run.measure(
        {"eager": eager(captured, "torch"), "core": cheat}, captured, budget_s=0.01
    )
    assert measured.numerics["eager"].ok and not measured.numerics["core"].ok


@pytest.mark.parametrize(("only", "excused"), [("core", False), ("", True)])
def test_what_excuses_eager_is_looked_for_where_its_verdict_is_asked_for(captured, only, excused):
    calls = []
    off = core(lambda xs: calls.append(xs) or [program(xs[0]) + 1e-3])
    right = core(lambda xs: [program(xs[0])])
    given = {"eager": off, "core": right}, captured, captured.arguments
    assert run.check(*given, only=only)["core"].ok
    assert (len(calls) > 1) == excused


def test_a_check_alone_needs_no_samples(captured):
    wrong = core(lambda xs: [program(xs[0]) + 1e-3])
    found = run.check(
        {"eager": eager(captured, "torch"), "core": wrong}, captured, captured.arguments
    )
    assert found["eager"].ok and not found["core"].ok
    assert found["core"].max_abs_error == pytest.approx(1e-3, rel=0.01)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_wrong_capture_is_found_out(framework):
    """What was captured is not its own reference."""

    def of(fn):
        x = X if framework == "torch" else jax.numpy.asarray(X)
        return capture.capture(FoundProgram("f", framework, 1, fn, (x,)))

    right, wrong = of(lambda x: x * 3 + 1), of(lambda x: x * 3 - 1)
    mistaken = replace(right, graphs=wrong.graphs)
    runnables = {
        "eager": eager(right, framework), "core": core(compile_graph(wrong.whole, "cpu"))
    }  # fmt: skip
    checked = run.check(runnables, mistaken, right.arguments)
    assert checked["eager"].ok and not checked["core"].ok


def of_bits(x):
    return x.view(torch.int32) // 2


@pytest.mark.parametrize(("more", "ok"), [(0, True), (1, False)])
def test_eager_is_the_reference_of_what_does_not_run_in_float64(more, ok):
    found = capture.capture(FoundProgram("f", "torch", 1, of_bits, (X,)))
    other = core(lambda xs: [of_bits(xs[0]) + more])
    checked = run.check({"eager": eager(found, "torch"), "core": other}, found, found.arguments)
    assert checked["core"].ok is ok
    assert "does not run in float64: TypeError: it reads the bits" in checked["core"].rule


def test_a_backward_pass_is_measured_with_autograd():
    def squares(x):
        (x * x).sum().backward()
        return x.grad

    found = FoundProgram("squares", "torch", 1, squares, (X.clone().requires_grad_(),))
    captured = capture.capture(found)
    result, *_ = eager(captured, "torch").run(captured.arguments)
    assert torch.allclose(result, 2 * X)


def test_jax_is_waited_for():
    found = FoundProgram("f", "jax", 1, lambda x: jax.numpy.tanh(x) + 1, (jax.numpy.asarray(X),))
    captured = capture.capture(found)
    measured = run.measure({"eager": eager(captured, "jax")}, captured, budget_s=0.01)
    assert measured.numerics["eager"].ok and measured.timings["eager"].speedup is None


def test_the_floor_grows_with_the_bytes():
    small, large = bandwidth.floor_us(4096), bandwidth.floor_us(16 * 2**20)
    assert 0 < small < 1 < large


def decided_by_noise(x):
    """The sign of what cancels to nothing, or nearly."""
    return torch.where(x.double().sum() >= X.double().sum(), 1.0, -1.0).float() * torch.ones(3)


@pytest.mark.parametrize(("result", "ok"), [(1.0, True), (-1.0, True), (8.0, False)])
def test_what_rounding_decides_is_not_held_against_a_compiler(result, ok):
    found = capture.capture(FoundProgram("f", "torch", 1, decided_by_noise, (X,)))
    other = core(lambda xs: [torch.full((3,), result)])
    checked = run.check({"eager": eager(found, "torch"), "core": other}, found, found.arguments)
    assert checked["core"].ok is ok
    assert ("rounded otherwise" in checked["core"].rule) is (result == -1.0)


def signs_of_noise(x):
    """Of any inputs, the signs of sums that cancel to nothing."""
    rows = x.reshape(60, 50)
    return torch.where((rows - rows.mean(1, keepdim=True)).sum(1) >= 0, 1.0, -1.0)


@pytest.mark.parametrize(("result", "ok"), [(-1.0, True), (8.0, False)])
def test_what_rounding_decides_is_not_held_against_a_timed_call(result, ok):
    found = capture.capture(FoundProgram("f", "torch", 1, signs_of_noise, (X,)))
    other = core(lambda xs: [torch.full((60,), result)])
    measured = run.measure({"eager": eager(found, "torch"), "core": other}, found, budget_s=0.01)
    assert measured.numerics["core"].ok is ok
