"""Exceptions of every kind raised at random calls deep inside a real compilation."""

import random
import sys
from pathlib import Path

import pytest

import compiler_core
from compiler_core import report
from compiler_core.pipeline.order import explore
from tests.compiler_core.pipeline.test_faults import RAISED, TWO, Told, throw

pytestmark = pytest.mark.cpu

ROOT = f"{Path(compiler_core.__file__).parent}/"
# What turns exceptions into sentences, and what is said before any stage.
TRUSTED = ("pipeline/order.py", "pipeline/context.py", "report/", "errors.py", "toolchain.py",
           "snippet/output.py")  # fmt: skip


class RaiseAt:
    """A trace function that raises at the `number`th call of a function of the core."""

    def __init__(self, number, what):
        self.number, self.what, self.calls = number, what, 0

    def __call__(self, frame, event, argument):
        file = frame.f_code.co_filename
        if event == "call" and file.startswith(ROOT) and not file[len(ROOT) :].startswith(TRUSTED):
            self.calls += 1
            if self.calls == self.number:
                sys.settrace(None)
                throw(self.what)


def explored(number, what=None):
    told, fault = Told(), RaiseAt(number, what)
    sys.settrace(fault)
    try:
        explore(TWO, report.Options(device="cpu", target="sm_90", measure=False), told)
    finally:
        sys.settrace(None)
    return told, fault.calls


@pytest.fixture(scope="module")
def calls():
    """How many there are once everything is imported and warm."""
    explored(0)
    told, count = explored(0)
    assert [p.status for p in told.report.programs] == ["ok", "ok"]
    assert count > 1000
    return count


@pytest.mark.parametrize("seed", range(10))
def test_a_fault_at_any_call_is_one_sentence_and_the_other_program_goes_on(seed, calls):
    chosen = random.Random(seed)
    for _ in range(8):
        number, name = chosen.randint(1, calls), chosen.choice(list(RAISED))
        told, _ = explored(number, RAISED[name])
        assert_said(told, f"{name} at call {number}")


def assert_said(told, what):
    assert isinstance(told.events[0], report.Started), what
    assert isinstance(told.events[-1], report.Finished), what
    failed = [p for p in told.report.programs if p.status == "failed"]
    assert len(failed) <= 1, what
    for program in told.report.programs:
        stages = [s for s in program.stages if s.status == "failed"]
        assert [s.summary for s in stages[:1]] == [e.message for e in said(program)], what
        assert all(s.name and s.kind for s in stages), what
    for error in [told.report.error, *(e for p in failed for e in said(p))]:
        assert error is None or (error.message.strip() and "\n" not in error.message), what


def said(program):
    return [] if program.error is None else [program.error]
