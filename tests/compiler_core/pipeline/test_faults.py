"""Whatever is raised, wherever: one sentence, its stage and kind, and all else goes on."""

from itertools import count

import numpy as np
import pytest

from compiler_core import report
from compiler_core.backends import cpu, gpu
from compiler_core.pipeline import evaluation, order, planning, stage_by_stage, stages
from compiler_core.pipeline.context import Compilation, no_lease, writable
from compiler_core.pipeline.order import Stage, explore
from compiler_core.pipeline.stage_by_stage import run
from compiler_core.snippet.program import FoundProgram
from tests.compiler_core.pipeline.faults import (
    RAISED,
    TWO,
    Recorder,
    assert_one_sentence,
    assert_stage_failed,
    throw,
)


def compilation(recorded):
    recorded(report.ProgramFound(0, "f", "torch", report.Entry(), []))
    program = FoundProgram("f", "torch", 1, throw, ())
    return Compilation(0, program, report.Options(), "cpu", writable(recorded), no_lease)


@pytest.fixture
def quiet(monkeypatch):
    """Stages of these tests print nothing."""
    monkeypatch.setattr(stage_by_stage, "_output_of", lambda c, stage: no_lease("cpu"))


@pytest.mark.parametrize("name", RAISED)
def test_what_a_stage_raises_ends_this_stage_alone(name, quiet):
    ran = []

    def bad(c):
        with c.stage("one of its own", "fuse"):
            throw(RAISED[name])

    pipeline = (
        Stage("before", "capture", lambda c: ran.append("before")),
        Stage("bad", "schedule", bad),
        Stage("after", "compile", lambda c: ran.append("after")),
    )
    recorded = Recorder()
    run(compilation(recorded), pipeline)
    assert ran == ["before", "after"]
    assert_one_sentence(recorded.report.programs[0], "one of its own", "fuse")


@pytest.mark.parametrize("name", RAISED)
@pytest.mark.parametrize("where", ["run", "wanted"])
def test_what_is_raised_outside_of_what_a_stage_shows_has_its_name_and_kind(name, where, quiet):
    def bad(c):
        throw(RAISED[name])

    stage = Stage(
        "bad", "schedule", **{"run": lambda c: None, "wanted": lambda c: True, where: bad}
    )
    recorded = Recorder()
    run(compilation(recorded), (stage,))
    assert_one_sentence(recorded.report.programs[0], "bad", "schedule")


def test_a_stage_that_shows_what_no_report_can_hold_fails(quiet):
    recorded = Recorder()
    stage = Stage("bad", "schedule", lambda c: c.emit_facts(kernels=[object()]))
    run(compilation(recorded), (stage,))
    assert_one_sentence(recorded.report.programs[0], "bad", "schedule")
    assert "object" in recorded.report.programs[0].error.message


def test_numbers_of_numpy_and_half_pairs_are_written_as_what_they_mean(quiet):
    recorded = Recorder()
    kernel = report.Kernel("k0", "row", None, ["\udc80"], np.int64(4), np.int64(8), [np.int32(1)])
    run(compilation(recorded), (Stage("s", "schedule", lambda c: c.emit_facts(kernels=[kernel])),))
    (program,) = recorded.report.programs
    (read,) = program.kernels
    assert program.status == "ok"
    assert (read.ops, read.bytes_read, read.lines) == (["\\udc80"], 4, [1])


def test_the_first_failure_is_the_one_that_a_program_keeps(quiet):
    def bad(text):
        return lambda c: throw(ValueError(text))

    recorded = Recorder()
    run(compilation(recorded), (Stage("a", "fuse", bad("one")), Stage("b", "compile", bad("two"))))
    assert recorded.report.programs[0].error.message == "ValueError: one"


def test_ctrl_c_is_for_whoever_runs_the_compiler(quiet):
    with pytest.raises(KeyboardInterrupt):
        run(compilation(Recorder()), (Stage("s", "fuse", lambda c: throw(KeyboardInterrupt())),))


def test_a_keyboard_interrupt_that_the_snippet_raises_is_its_own_error(quiet):
    """Wherever it does: when it runs, and when its program is captured."""
    for source in ("raise KeyboardInterrupt('no')", _RAISES_WHEN_CALLED):
        recorded = Recorder()
        explore(source, report.Options(measure=False, device="cpu"), recorded)
        result = recorded.report
        failures = [p.error for p in result.programs] or [result.error]
        assert "KeyboardInterrupt: no" in failures[0].message and failures[0].line


_RAISES_WHEN_CALLED = """
import torch
def f(x):
    raise KeyboardInterrupt('no')
torch.compile(f)(torch.ones(3))
"""


def test_nobody_who_listens_is_no_fault_of_the_program(quiet):
    def gone(event):
        raise BrokenPipeError

    c = Compilation(0, None, report.Options(), "cpu", gone, no_lease)
    with pytest.raises(BrokenPipeError):
        run(c, (Stage("s", "fuse", lambda c: None),))


# -- deep inside, in the real pipeline

DEEP = {
    (order, "backends"): ("pipeline", "pipeline"),
    (stages, "capture"): ("capture", "capture"),
    (stages, "verify"): ("capture", "capture"),
    (stages, "run_pass"): (order.stages.PASSES[0].name, "pass"),
    (planning, "fuse_by"): ("fuse", "fuse"),
    (planning, "build_plan"): ("schedule", "schedule"),
    (planning.report_building, "buffers"): ("schedule", "schedule"),
    (gpu, "emit_plan"): ("triton", "codegen"),
    (cpu.cpu, "build"): ("build", "codegen"),
    (gpu.offline, "compile_offline"): ("compile sm_90", "compile"),
    (evaluation.run, "check"): ("numerics", "numerics"),
    (evaluation.run, "measure"): ("measure", "measure"),
}
# Of the target that is shown: the program runs without.
SHOWN = ("triton", "compile sm_90")
PAIRS = [
    pytest.param(module, name, raised, stage, kind, id=f"{name}-{raised}")
    for at, ((module, name), (stage, kind)) in enumerate(DEEP.items())
    for raised in list(RAISED)[at % 5 :: 5]
]


@pytest.mark.cpu
@pytest.mark.usefixtures("measured_briefly")
@pytest.mark.parametrize(("module", "name", "raised", "stage", "kind"), PAIRS)
def test_a_fault_deep_inside_is_one_sentence_and_the_next_program_goes_on(
    module, name, raised, stage, kind, monkeypatch
):
    calls, real = count(), getattr(module, name)

    def once(*args, **kwargs):
        return throw(RAISED[raised]) if next(calls) == 0 else real(*args, **kwargs)

    monkeypatch.setattr(module, name, once)
    recorded = Recorder()
    options = report.Options(device="cpu", target="sm_90", measure=name == "measure")
    explore(TWO, options, recorded)
    assert isinstance(recorded.events[0], report.Started)
    assert isinstance(recorded.events[-1], report.Finished)
    first, second = recorded.report.programs
    if stage in SHOWN:
        assert first.status == "ok"
        assert_stage_failed(first, stage, kind)
    else:
        assert_one_sentence(first, stage, kind)
    assert second.status == "ok"


@pytest.mark.parametrize("raised", RAISED)
def test_whatever_is_raised_while_programs_are_found_is_one_sentence(raised, monkeypatch):
    def find(source, options, device, emit):
        throw(RAISED[raised])

    monkeypatch.setattr(order, "find_programs", find)
    recorded = Recorder()
    explore("x = 1", report.Options(device="cpu"), recorded)
    assert isinstance(recorded.events[-1], report.Finished)
    assert recorded.report.error.stage == "snippet"
    assert "\n" not in recorded.report.error.message


def test_a_gpu_that_is_not_there_is_one_sentence_with_its_remedy(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    recorded = Recorder()
    explore("x = 1", report.Options(device="cuda"), recorded)
    started, failed, finished = recorded.events
    assert started.device.kind == "cpu"
    assert failed.error.stage == "device"
    assert failed.error.message == "this machine has no GPU that PyTorch can use"
    assert "choose the device auto or cpu" in failed.error.remedy
    assert isinstance(finished, report.Finished)


def test_compile_time_has_what_a_gpu_loads():
    c = compilation(Recorder())
    for name, kind, ms in (
        ("fuse", "fuse", 1.0),
        ("triton", "codegen", 2.0),
        ("build", "codegen", 4.0),
        ("compile sm_90", "compile", 16.0),
    ):
        c.emit_stage(report.Stage(name, "ok", ms, kind=kind))
    assert evaluation.costs_of(c).compile_ms == 7.0
