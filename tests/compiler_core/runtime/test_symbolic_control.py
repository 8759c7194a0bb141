"""Loops and branches over sizes that are symbols: compiled once, called with several."""

import numpy as np
import pytest
import torch

from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.parse import parse
from compiler_core.ir.sizes import Undecided
from compiler_core.ir.text import to_text
from compiler_core.plan.binding import plan_at
from compiler_core.plan.build import build_plan, values_of
from compiler_core.runtime import cpu, gcc
from compiler_core.schedule.targets import CpuTarget
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.codegen.symbolic import calls
from tests.compiler_core.codegen.symbolic_control import PROGRAMS
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_GPU
from tests.compiler_core.runtime.host_drives import HostDrives

pytestmark = pytest.mark.cpu
# Even and odd, for values that have two places in turns.
SIZES = (2, 5, 36)
EVERY = pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)


def agrees(found, wanted) -> None:
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


@EVERY
def test_c_drives_it_at_every_size_from_one_compilation(text, monkeypatch):
    loaded = []
    load = gcc.load
    monkeypatch.setattr(gcc, "load", lambda *given: loaded.append(given) or load(*given))
    compiled = cpu.build(plan_of(parse(text)))
    for inputs, wanted in calls(text, SIZES):
        agrees(compiled([torch.from_numpy(x) for x in inputs]), wanted)
    assert len(loaded) == 1


@EVERY
def test_the_framework_drives_it_at_every_size(text):
    compiled = cpu.build(build_plan(fuse(values_of(parse(text))), HostDrives(CpuTarget())))
    for inputs, wanted in calls(text, SIZES):
        agrees(compiled([torch.from_numpy(x) for x in inputs]), wanted)


@EVERY
def test_a_gpus_host_drives_it_at_every_size(text, interpreter_process):
    given = list(calls(text, SIZES[:2]))
    plan = build_plan(fuse(values_of(parse(text)), cost.GPU), ON_GPU)
    run = interpreter_process.submit(interpreter.execute_all, plan, [inputs for inputs, _ in given])
    for found, (_, wanted) in zip(run.result(timeout=120), given, strict=True):
        agrees(found, wanted)


@EVERY
def test_its_text_is_read_back(text):
    graph = parse(text)
    assert to_text(parse(to_text(graph))) == to_text(graph)


def test_what_a_region_keeps_is_placed_for_each_call():
    plan = plan_of(parse(PROGRAMS["one of two products"]))
    few, many = (plan_at(plan, {plan.symbols[0]: n}) for n in (2, 100))
    spaces = [next(s.workspace.type.bytes for s in p.steps if s.plans) for p in (few, many)]
    assert spaces == [64, 3200]  # B x 8 floats, in lines of 64 bytes


STEPS_THAT_NOBODY_COUNTS = """\
graph f[T = 6 in 2..](%0: f32[8]) {
  %1 = scan(%0) {length = T, reverse = false, carried = 1, scanned = 0} body(%2: f32[8]) {
    %3 = tanh(%2) : f32[8]
    return %3
  } : f32[8]
  return %1
}
"""
WITHOUT_ELEMENTS = """\
graph f[T = 6 in 2..](%0: f32[0]) {
  %1 = broadcast_in_dim(%0) {dimensions = (0)} : f32[0,T]
  return %1
}
"""


@pytest.mark.parametrize("text", [STEPS_THAT_NOBODY_COUNTS, WITHOUT_ELEMENTS])
def test_a_size_that_no_input_says_is_refused(text):
    with pytest.raises(Undecided, match="no input says what T is"):
        plan_of(parse(text))
