"""The same program through XLA and TorchInductor, whichever framework it was written in."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import pytest
import torch

from compiler_core import capture, reference
from compiler_core.capture.captured import Captured
from compiler_core.ir.build import Builder
from compiler_core.ir.library import Callee
from compiler_core.ir.types import F32, TensorType
from compiler_core.measure import run
from compiler_core.measure.runnable import eager
from compiler_core.snippet.program import FoundProgram
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

X = torch.linspace(-2, 2, 96).reshape(8, 12)


def torch_program(x):
    return torch.softmax(torch.nn.functional.gelu(x), -1), x.argmax() < 3


def jax_program(x):
    return {"y": jax.nn.softmax(jax.nn.gelu(x)), "sum": x.sum()}


def captured_torch(fn=torch_program, *args) -> Captured:
    return capture.capture(FoundProgram("f", "torch", 1, fn, args or (X,)))


def captured_jax() -> Captured:
    return capture.capture(FoundProgram("f", "jax", 1, jax_program, (jnp.asarray(X.numpy()),)))


def is_right(result: reference.Reference, captured: Captured, framework: str) -> bool:
    runnables = {"eager": eager(captured, framework), result.compiler: result.runnable}
    return run.check(runnables, captured, captured.fresh(1))[result.compiler].ok


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_xla_runs_programs_of_both_frameworks(framework):
    captured = captured_torch() if framework == "torch" else captured_jax()
    result = reference.prepare("xla", captured, framework)
    assert result.status == "ok" and is_right(result, captured, framework)
    before, after = result.artifacts
    assert "stablehlo.exponential" in before.text and "HloModule" in after.text
    costs = result.runnable.costs
    assert costs.capture_ms + costs.compile_ms <= costs.first_call_ms


def test_64_bit_integers_stay_64_bits_in_xla():
    captured = captured_torch(lambda x: x * 2**40, torch.arange(5))
    prepared = reference.prepare("xla", captured, "torch")
    (result,) = prepared.runnable.run(captured.arguments)
    assert result.dtype is torch.int64 and result.tolist() == [i * 2**40 for i in range(5)]


# Both frameworks in one test: Inductor takes seconds to start and a C++ compiler's time for each.
def test_inductor_runs_programs_of_both_frameworks():
    for captured, framework in ((captured_torch(), "torch"), (captured_jax(), "jax")):
        result = reference.prepare("inductor", captured, framework)
        assert result.status == "ok" and is_right(result, captured, framework)
        assert "async_compile.cpp" in result.artifacts[0].text
        assert "not counted" in result.summary
        costs = result.runnable.costs
        assert costs.capture_ms + costs.compile_ms <= costs.first_call_ms


def with_a_call_of(framework: str) -> Captured:
    b = Builder()
    x = b.parameter(TensorType(F32, (8, 12)))
    callee = Callee("sort", framework)
    graph = b.graph("f", b.library_call(callee, [x], [TensorType(F32, (8, 12))]))
    result = captured_torch()
    return replace(result, graphs=(replace(result.whole, graph=graph),))


def test_what_only_the_other_framework_can_run_is_refused_with_a_reason():
    xla = reference.prepare("xla", with_a_call_of("torch"), "torch")
    assert (xla.status, xla.summary) == ("skipped", "XLA cannot run torch's sort here")
    inductor = reference.prepare("inductor", with_a_call_of("jax"), "jax")
    assert inductor.summary == "TorchInductor cannot run jax's sort here"
    assert xla.runnable is None and inductor.runnable is None


# As the training step below, whose gradients are of parameters.
@pytest.mark.sweep
def test_a_program_with_a_backward_pass_goes_through_inductor():
    def squares(x):
        (x * x).sum().backward()
        return x.grad

    captured = captured_torch(squares, X.clone().requires_grad_())
    result = reference.prepare("inductor", captured, "torch")
    assert result.status == "ok", result.summary
    inputs = captured.fresh(1)
    runs = {"eager": eager(captured, "torch"), "inductor": result.runnable}
    assert run.check(runs, captured, inputs)["inductor"].ok


def in_place(x, out):
    x.mul_(2).add_(1)
    out.copy_(x.sum(-1))
    return x.relu()


def counting(module: torch.nn.Module):
    def step(x):
        return module(x).sum(-1)

    return step


def step(module: torch.nn.Module, optimizer: torch.optim.Optimizer):
    def train(x):
        optimizer.zero_grad()
        loss = module(x).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    return train


def writing_to_arguments() -> Captured:
    return captured_torch(in_place, X.clone(), torch.zeros(8))


def writing_to_buffers() -> Captured:
    return captured_torch(counting(torch.nn.BatchNorm1d(12)), X.clone())


def a_module_that_writes() -> Captured:
    return captured_torch(torch.nn.BatchNorm1d(12), X.clone())


def training_step() -> Captured:
    module = torch.nn.Linear(12, 3)
    return captured_torch(step(module, torch.optim.SGD(module.parameters(), 0.1)), X.clone())


WRITING = [writing_to_arguments, writing_to_buffers, a_module_that_writes, training_step]


def right_and_leaves_its_inputs(compiler: str, captured: Captured):
    """What the compiler made of the program: right for two sets of inputs, which are as before."""
    before = [t.clone() for t in captured.arguments]
    result = reference.prepare(compiler, captured, "torch")
    assert result.status == "ok", result.summary
    runs = {"eager": eager(captured, "torch"), compiler: result.runnable}
    for inputs in (captured.arguments, captured.fresh(1)):
        checked = run.check(runs, captured, inputs)[compiler]
        assert checked.ok, checked.error
    assert all(torch.equal(a, b) for a, b in zip(captured.arguments, before, strict=True))
    return result


@pytest.mark.parametrize("program", thinned(WRITING, kept={*WRITING} - {a_module_that_writes}))
def test_inductors_numbers_are_checked_of_programs_that_write(program):
    right_and_leaves_its_inputs("inductor", program())


def branching(x):
    y = x * 2
    return (y if y.sum() > 0 else y - 1).relu()


def writing_between(x):
    """Into a result of a graph, which is what another one reads, and is returned."""
    y = x * 1.0
    if y.sum() > 100:
        return y
    y.add_(1)
    torch._dynamo.graph_break()
    return y, y.sin()


SEVERAL = {
    "a branch": lambda: captured_torch(branching, X),
    "writes between graphs": lambda: captured_torch(writing_between, X.clone()),
    "a training step": training_step,
    "complex numbers": lambda: captured_torch(
        lambda x: x.conj() * 2 if x.real.sum() > 0 else x * x, torch.complex(X, X + 1)
    ),
    "whole numbers of 64 bits": lambda: captured_torch(
        lambda x: x * 2**40 if x.sum() > 3 else x, torch.arange(5)
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_a_program_of_several_graphs_goes_through_xla_graph_by_graph(name):
    captured = SEVERAL[name]()
    assert captured.session is not None
    result = right_and_leaves_its_inputs("xla", captured)
    assert result.figures.graphs.value == len(captured.graphs)
    assert len(result.artifacts) == 2 * len(captured.graphs)
    assert len({text.name for text in result.artifacts}) == len(result.artifacts)


def test_a_graph_that_is_met_later_is_compiled_then_for_whoever_runs_it():
    captured = captured_torch(branching, X.abs())
    result = reference.prepare("xla", captured, "torch")
    known = len(captured.graphs)
    assert len(captured.session.lowered) == known
    runs = {"eager": eager(captured, "torch"), "xla": result.runnable}
    assert run.check(runs, captured, [-X.abs()])["xla"].ok
    assert len(captured.session.lowered) == known + 1


def test_who_ran_the_graphs_runs_them_again_after_another_did():
    captured = captured_torch(branching, X)
    ran = []
    marked = [lambda inputs, i=i: ran.append(i) for i in range(len(captured.graphs))]
    captured.session.link(marked, late=None)
    result = reference.prepare("xla", captured, "torch")
    result.runnable.run(captured.arguments)
    assert ran == []
    with pytest.raises(TypeError):
        captured.session.compiled(captured.session.prepare(captured.arguments))
    assert ran == [0]
    captured.session.restore()


def test_a_library_call_in_one_of_several_graphs_names_the_graph():
    def f(x):
        y = x @ x.T
        return torch.linalg.eigh(y)[1] if y.sum() > 0 else y

    result = reference.prepare("xla", captured_torch(f, X.abs()), "torch")
    assert (result.status, result.runnable) == ("skipped", None)
    why = "XLA cannot run torch's aten._linalg_eigh.default here, in piece 2 of 2"
    assert result.summary.startswith(why)


def test_a_compiler_that_fails_says_what_it_said():
    captured = captured_jax()

    def broken(x):
        raise ValueError("no rule for this\nand a long story")

    result = reference.prepare("xla", replace(captured, native=broken), "jax")
    assert result.summary == "XLA failed: no rule for this" and result.status == "skipped"
