"""What nobody waits for takes a part of the time that its run has left, and says what it left."""

import functools
import math
import random
import re
import textwrap

import pytest

from compiler_core import report
from compiler_core.pipeline import time_left
from compiler_core.pipeline.order import explore
from tests.compiler_core.pipeline.trying import ITEM

pytestmark = pytest.mark.cpu

SOFTMAX = "import torch\n# inputs: f32[24,64]\ndef f(x):\n    return torch.softmax(x, -1)\n"
OPTIONAL = ("compile sm_90", "precision", "disassemble")


def stages(left, source=SOFTMAX, **asked):
    """The stages of a run that always has so many seconds left, by name."""
    events: list[report.Event] = []
    options = report.Options(measure=False, target="sm_90", **asked)
    explore(textwrap.dedent(source), options, events.append, time_left=lambda: left)
    (program,) = functools.reduce(report.apply, events, report.Report()).programs
    assert program.status == "ok" and program.numerics["core"].ok
    return {stage.name: stage for stage in program.stages}


def test_a_run_with_time_leaves_nothing_out():
    found = stages(60.0)
    assert not [name for name in OPTIONAL if "left out" in found[name].summary]
    assert found["disassemble"].artifacts


def test_a_run_without_time_leaves_out_what_is_optional_and_says_so():
    found = stages(0.0)
    assert [found[name].status for name in OPTIONAL] == ["ok", "skipped", "ok"]
    compiled, located, disassembled = (found[name].summary for name in OPTIONAL)
    assert compiled == "0 kernels compiled for sm_90; 1 left out: the run had 0 s left"
    assert "compiled once more" in located and located.endswith("the run had 0 s left")
    assert disassembled == "0 kernels"


def test_what_cannot_be_stopped_is_not_begun_in_the_last_seconds():
    found = stages(18.0)
    assert found["compile sm_90"].summary == "1 kernel compiled for sm_90"
    assert found["disassemble"].summary == "0 kernels; 1 left out: the run had 18 s left"


def test_of_two_programs_the_second_has_what_the_first_has_left():
    asked = []

    def left():
        asked.append(None)
        return 60.0 if len(asked) < 2 else 0.0

    events: list[report.Event] = []
    two = SOFTMAX + (
        "def g(x):\n    return torch.sin(x)\n"
        "torch.compile(f)(torch.ones(24, 64))\ntorch.compile(g)(torch.ones(8))\n"
    )
    explore(two, report.Options(measure=False, target="sm_90"), events.append, time_left=left)
    programs = functools.reduce(report.apply, events, report.Report()).programs
    said = [s.summary for p in programs for s in p.stages if s.name == "compile sm_90"]
    assert ["left out" in each for each in said] == [False, True]


def test_in_a_runs_last_seconds_no_remedy_is_tried():
    found = stages(3.0, ITEM, trials=True)
    assert found["trials"].summary == "0 remedies tried, 0 helped, 1 left out for want of time"


def test_an_assembler_that_is_not_ready_in_time_is_ended_and_its_kernel_left_out():
    # No earlier run of the tests has kept it, and Triton alone takes longer than it is given.
    program = f"""
        import torch
        # inputs: f64[1024]
        def f(x):
            return torch.sin(x + {random.random()}) + torch.lgamma(torch.abs(x) + 5)
        """
    compiled = stages(0.1, program)["compile sm_90"]
    assert compiled.summary == "0 kernels compiled for sm_90; 1 left out: the run had 0 s left"
    assert compiled.status == "ok"


LOOKS = ("stablehlo", "export", "aot")


def test_looks_and_compilers_that_a_run_has_no_time_for_are_left_out_and_say_how_to_have_them():
    found = ended(0.0, insides=LOOKS, compilers=("core", "inductor", "xla"))
    assert {name for name, s in found.items() if s.startswith("left out: the run had 0 s")} == {
        *LOOKS, "inductor", "xla",
    }  # fmt: skip
    assert all("Ask for fewer at a time" in text for text in found.values())


def test_what_has_begun_is_shown_as_far_as_it_came(monkeypatch):
    monkeypatch.setattr(time_left.Turns, "is_over", True)
    found = ended(600.0, insides=LOOKS)
    assert all(re.match(r"1 stage; the others left out: ", text) for text in found.values())


def test_what_would_take_as_long_as_the_longest_before_begins_where_as_much_is_left():
    turns = time_left.Turns(time_left.share(math.inf, 10.0), 0.0)
    assert not turns.left_out
    turns.longest = 6.0
    assert turns.left_out.startswith("left out: the run had 10 s left for all of these. Ask")


def ended(left, **asked):
    """What is said at the ends of looks, and of compilers, in a run that has so many seconds."""
    events: list[report.Event] = []
    options = report.Options(measure=False, target="none", **asked)
    explore(SOFTMAX, options, events.append, time_left=lambda: left)
    (program,) = functools.reduce(report.apply, events, report.Report()).programs
    assert program.status == "ok" and program.numerics["core"].ok
    ends = [s for s in program.stages if s.kind == "reference" or s.name == "insides"]
    return {stage.compiler: stage.summary for stage in ends}
