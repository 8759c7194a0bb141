"""Exceptions of every kind raised at random calls deep inside a real compilation."""

import random
import sys
from functools import cache
from pathlib import Path

import pytest
import torch

import compiler_core
from compiler_core import report
from compiler_core.pipeline.order import explore
from tests.compiler_core.pipeline.faults import RAISED, TWO, Recorder, throw
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

ROOT = f"{Path(compiler_core.__file__).parent}/"
# What turns exceptions into sentences and puts modes back, and what is said before any stage.
TRUSTED = ("pipeline/order.py", "pipeline/context.py", "report/", "errors.py", "toolchain.py",
           "snippet/output.py", "snippet/modes.py", "snippet/settings.py")  # fmt: skip


@cache
def is_ours(file):
    return file.startswith(ROOT) and not file[len(ROOT) :].startswith(TRUSTED)


class RaiseAt:
    """A trace function that raises at the `number`th call of a function of the core."""

    def __init__(self, number, what):
        self.number, self.what, self.calls = number, what, 0

    def __call__(self, frame, event, argument):
        if event == "call" and is_ours(frame.f_code.co_filename):
            self.calls += 1
            if self.calls == self.number:
                sys.settrace(None)
                throw(self.what)


def modes():
    """All of torch's that a fault may leave changed for what runs after it."""
    return {
        "gradients": torch.is_grad_enabled(),
        "inference": torch.is_inference_mode_enabled(),
        "threads of autograd": torch._C._is_multithreading_enabled(),
        "default type": torch.get_default_dtype(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "modes of functions": torch._C._len_torch_function_stack(),
        "modes of dispatch": torch._C._len_torch_dispatch_stack(),
        "random numbers": hash(torch.get_rng_state().numpy().tobytes()),
    }


class Watching(Recorder):
    """Also writes down the modes that each program begins with."""

    def __init__(self):
        super().__init__()
        self.begun = {}

    def __call__(self, event):
        super().__call__(event)
        if isinstance(event, report.StageBegan):
            self.begun.setdefault(event.program, modes())


OPTIONS = report.Options(device="cpu", target="sm_90", measure=False)


def explored(source, number, what=None):
    recorded, fault, before = Watching(), RaiseAt(number, what), modes()
    sys.settrace(fault)
    try:
        explore(source, OPTIONS, recorded)
    finally:
        sys.settrace(None)
    for begun in (*recorded.begun.values(), modes()):
        assert begun == before, f"{what!r:.50} at call {number}"
    return recorded, fault.calls


# A training step and one that Python decides in; loops and branches.
SEVERAL = """\
import torch

w = torch.ones(4, requires_grad=True)

@torch.compile
def step(x):
    loss = (torch.sigmoid(x) * w).sum()
    loss.backward()
    return loss

@torch.compile
def decides(x):
    y = x * 2
    return y + 1 if y.sum() > 0 else y - 1

step(torch.ones(4))
decides(torch.ones(4))
"""
REGIONS = """\
import jax
import jax.numpy as jnp

@jax.jit
def loops(xs):
    return jax.lax.scan(lambda c, x: (jnp.tanh(c + x), c), xs[0], xs)

@jax.jit
def branches(x):
    y = jax.lax.while_loop(lambda v: v.sum() < 9, lambda v: v * 2, x)
    return jax.lax.cond(y.sum() > 0, jnp.sin, jnp.cos, y)

loops(jnp.ones((3, 4)))
branches(jnp.ones(4))
"""
SOURCES = {"one graph": TWO, "several graphs": SEVERAL, "regions": REGIONS}


@cache
def calls(source):
    """How many there are once everything is imported and warm."""
    explore(source, OPTIONS, Recorder())
    recorded, count = explored(source, 0)
    assert [p.status for p in recorded.report.programs] == ["ok", "ok"], recorded.report.error
    assert count > 1000
    return count


@pytest.mark.parametrize("seed", thinned(range(6), kept=(0,)))
@pytest.mark.parametrize("kind", SOURCES)
def test_a_fault_at_any_call_is_one_sentence_and_the_other_program_goes_on(kind, seed):
    source, chosen = SOURCES[kind], random.Random(seed)
    # The first seed takes the fewest, whatever program it is of.
    for _ in range(12 if kind == "one graph" and seed else 4 if kind == "one graph" or seed else 2):
        number, name = chosen.randint(1, calls(source)), chosen.choice(list(RAISED))
        recorded, _ = explored(source, number, RAISED[name])
        assert_said(recorded, f"{name} at call {number}")


def assert_said(recorded, what):
    assert isinstance(recorded.events[0], report.Started), what
    assert isinstance(recorded.events[-1], report.Finished), what
    failed = [p for p in recorded.report.programs if p.status == "failed"]
    assert len(failed) <= 1, what
    for program in recorded.report.programs:
        stages = [s for s in program.stages if s.status == "failed"]
        # What fails of a target that is only shown has not failed the program.
        own = [s for s in stages if s.backend in ("", program.backend)]
        assert [s.summary for s in own[:1]] == [e.message for e in said(program)], what
        assert all(s.name and s.kind for s in stages), what
        assert all(s.summary.strip() and "\n" not in s.summary for s in stages), what
    for error in [recorded.report.error, *(e for p in failed for e in said(p))]:
        assert error is None or (error.message.strip() and "\n" not in error.message), what


def said(program):
    return [] if program.error is None else [program.error]
