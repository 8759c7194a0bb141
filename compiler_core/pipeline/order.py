"""THE page: the ordered stages that a program goes through, by name.

    snippet -> capture -> passes -> fuse -> schedule -> codegen -> compile -> reference
            -> numerics -> measure

Each stage says what it needs. A stage that fails ends its program's status as failed, and those
that need what it should have made are left out; all others still run, so a program shows every
stage that it can reach. Every stage's event leaves the moment that the stage ends.
"""

import hashlib
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from compiler_core import report, toolchain
from compiler_core.errors import FuselabError, NoProgramFound, SnippetError
from compiler_core.pipeline import evaluation, stages
from compiler_core.pipeline.context import Compilation, Emit, Lease, no_lease
from compiler_core.snippet.output import stream, suppress
from compiler_core.snippet.program import FoundProgram, input_specs
from compiler_core.snippet.run import find_programs


@dataclass(frozen=True)
class Stage:
    """`needs` names the fields of the Compilation that must be there."""

    name: str
    run: Callable[[Compilation], None]
    needs: tuple[str, ...] = ()
    # Whether the options ask for it.
    wanted: Callable[[Compilation], bool] = lambda _: True
    # Whether it is done for each graph of the program, or once for all of it.
    each_graph: bool = False


# The backend that a program runs on, by device.
BACKENDS = {"cpu": "cpu", "cuda": "gpu"}

PIPELINE: tuple[Stage, ...] = (
    Stage("capture", stages.capture_program),
    Stage("passes", stages.run_passes, needs=("graph",), each_graph=True),
    Stage("fuse", stages.fuse_graph, needs=("graph",), each_graph=True),
    Stage("schedule", stages.schedule_groups, needs=("fused",), each_graph=True),
    Stage("triton", stages.emit_triton, needs=("plan",), each_graph=True),
    Stage(
        "c",
        stages.compile_cpu,
        needs=("plan",),
        wanted=lambda c: c.device == "cpu",
        each_graph=True,
    ),
    Stage(
        "load",
        stages.load_gpu,
        needs=("plan",),
        wanted=lambda c: c.device == "cuda",
        each_graph=True,
    ),
    Stage("compile triton", stages.compile_triton, needs=("triton",), each_graph=True),
    Stage("link", evaluation.link, needs=("captured",), wanted=evaluation.is_several),
    Stage(
        "reference",
        evaluation.prepare_references,
        needs=("captured",),
        wanted=evaluation.wants_references,
    ),
    Stage("numerics", evaluation.check_numerics, needs=("captured",)),
    Stage("measure", evaluation.measure, needs=("captured",), wanted=evaluation.wants_measuring),
    Stage(
        "disassemble",
        stages.disassemble,
        needs=("machine_code",),
        wanted=stages.for_nvidia,
        each_graph=True,
    ),
)


def explore(source: str, options: report.Options, emit: Emit, *, lease: Lease = no_lease) -> None:
    """Runs a snippet and compiles its programs, emitting events in order: Started first,
    Finished last. Never raises for what a snippet does. `lease` is entered around everything
    that is measured on a device."""
    device = toolchain.resolve(options.device)
    digest = hashlib.sha256(source.encode()).hexdigest()
    emit(
        report.Started(
            report.Snippet(digest, source),
            toolchain.toolchain(),
            toolchain.device(device),
            options,
        )
    )
    protocols = []
    for number, program in enumerate(_programs(source, options, device, emit)):
        c = Compilation(number, program, options, _device_of(program, device), emit, lease)
        run(c)
        protocols.append(c.protocol)
    emit(report.Finished(next(filter(None, protocols), "")))


def _programs(source: str, options: report.Options, device: str, emit: Emit) -> list[FoundProgram]:
    """Announces the snippet's programs, and why there are none or fewer."""
    try:
        found = find_programs(source, options, device, emit)
    except SnippetError as error:
        candidates = error.candidates if isinstance(error, NoProgramFound) else ()
        emit(report.SnippetFailed(error.failure(), list(candidates)))
        return []
    except Exception as error:
        emit(report.SnippetFailed(_own_fault(error).failure("snippet")))
        return []
    if found.error is not None:
        emit(report.SnippetFailed(found.error))
    for number, program in enumerate(found.programs):
        specs = input_specs(program)
        entry = report.Entry(program.line)
        backend = BACKENDS[_device_of(program, device)]
        emit(report.ProgramFound(number, program.name, program.framework, entry, specs, backend))
    return list(found.programs)


def _device_of(program: FoundProgram, device: str) -> str:
    """JAX's arrays are where JAX's own build can have them: the CPU."""
    return "cpu" if program.framework == "jax" else device


def run(c: Compilation, pipeline: Sequence[Stage] = PIPELINE) -> None:
    """Every wanted stage whose needs are there, for each graph or once."""
    for stage in pipeline:
        for each in c.parts if stage.each_graph else [c]:
            if stage.wanted(each) and all(getattr(each, n) is not None for n in stage.needs):
                _run_stage(each, stage)


def _run_stage(c: Compilation, stage: Stage) -> None:
    c.began(stage.name)
    try:
        with _output_of(c, stage):
            stage.run(c)
    except FuselabError as error:
        _fail(c, stage, error)
    except Exception as error:
        _fail(c, stage, _own_fault(error))


def _output_of(c: Compilation, stage: Stage) -> AbstractContextManager[None]:
    """A program that the snippet has not called itself may print while it is captured; what it
    prints when it is run again, to be checked and timed, goes nowhere."""
    first = stage.name == "capture" and not c.program.ran
    return stream(c.emit) if first else suppress()


def _own_fault(error: Exception) -> FuselabError:
    """What no stage foresaw is a fault of ours: it ends this program, not the others."""
    said = next(iter(str(error).splitlines()), "")
    return FuselabError(
        f"{type(error).__name__}: {said}" if said else type(error).__name__,
        remedy="this is a fault of the compiler core: please report it with the snippet",
        traceback="".join(traceback.format_exception(error)[-6:]),
    )


def _fail(c: Compilation, stage: Stage, error: FuselabError) -> None:
    """Shows the stage as failed; the program's first error is the one that it keeps."""
    c.done(report.Stage(stage.name, "failed", 0.0, kind=stage.name, summary=error.message))
    c.fail(error.failure(stage.name))
