"""THE page: the ordered stages that a program goes through, by name.

    snippet -> capture -> passes -> fuse -> schedule -> codegen -> compile -> reference
            -> numerics -> measure

Each stage says what it needs. A stage that fails ends its program's status as failed, and those
that need what it should have made are left out; all others still run, so a program shows every
stage that it can reach. Every stage's event leaves the moment that the stage ends.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from compiler_core import report, toolchain
from compiler_core.errors import FuselabError, NoProgramFound, own_fault
from compiler_core.pipeline import evaluation, stages
from compiler_core.pipeline.context import Compilation, Emit, Lease, no_lease, writable
from compiler_core.snippet.output import stream, suppress
from compiler_core.snippet.program import FoundProgram, input_specs
from compiler_core.snippet.run import find_programs


@dataclass(frozen=True)
class Stage:
    """`needs` names the fields of the Compilation that must be there. A stage may show several
    under names of their own; what fails outside of these has its name and kind."""

    name: str
    kind: str
    run: Callable[[Compilation], None]
    needs: tuple[str, ...] = ()
    # Whether the options ask for it.
    wanted: Callable[[Compilation], bool] = lambda _: True
    # Whether it is done for each graph of the program, or once for all of it.
    each_graph: bool = False


# The stage that finding a snippet's programs is, in failures.
_SNIPPET = "snippet"

# The backend that a program runs on, by device.
BACKENDS = {"cpu": "cpu", "cuda": "gpu"}

PIPELINE: tuple[Stage, ...] = (
    Stage("capture", "capture", stages.capture_program),
    Stage("passes", "pass", stages.run_passes, needs=("graph",), each_graph=True),
    Stage("fuse", "fuse", stages.fuse_graph, needs=("graph",), each_graph=True),
    Stage("schedule", "schedule", stages.schedule_groups, needs=("fused",), each_graph=True),
    Stage("triton", "codegen", stages.emit_triton, needs=("plan",), each_graph=True),
    Stage(
        "c",
        "codegen",
        stages.compile_cpu,
        needs=("plan",),
        wanted=lambda c: c.device == "cpu",
        each_graph=True,
    ),
    Stage(
        "load",
        "codegen",
        stages.load_gpu,
        needs=("plan",),
        wanted=lambda c: c.device == "cuda",
        each_graph=True,
    ),
    Stage("compile triton", "compile", stages.compile_triton, needs=("triton",), each_graph=True),
    Stage("link", "codegen", evaluation.link, needs=("captured",), wanted=evaluation.is_several),
    Stage(
        "reference",
        "reference",
        evaluation.prepare_references,
        needs=("captured",),
        wanted=evaluation.wants_references,
    ),
    Stage("numerics", "numerics", evaluation.check_numerics, needs=("captured",)),
    Stage(
        "measure",
        "measure",
        evaluation.measure,
        needs=("captured",),
        wanted=evaluation.wants_measuring,
    ),
    Stage(
        "disassemble",
        "compile",
        stages.disassemble,
        needs=("machine_code",),
        wanted=stages.for_nvidia,
        each_graph=True,
    ),
)


def explore(source: str, options: report.Options, emit: Emit, *, lease: Lease = no_lease) -> None:
    """Runs a snippet and compiles its programs, emitting events in order: Started first,
    Finished last. Raises nothing but what `emit` raises and KeyboardInterrupt: whatever else ends
    a stage is one sentence in the report. `lease` is entered around everything that is measured
    on a device."""
    emit = writable(emit)
    device, refused = _device(options.device)
    emit(_started(source, device, options))
    if refused is None:
        _run_all(_programs(source, options, device.kind, emit), device.kind, options, emit, lease)
    else:
        emit(report.SnippetFailed(refused))
        emit(report.Finished())


def explore_program(
    program: FoundProgram, source: str, device: str, options: report.Options, emit: Emit
) -> None:
    """The events of one program that somebody else has found, in `source`, with its tensors on
    `device`."""
    emit = writable(emit)
    emit(_started(source, toolchain.device(device), options))
    emit(_found(0, program, device))
    _run_all([program], device, options, emit, no_lease)


def _started(source: str, device: report.Device, options: report.Options) -> report.Started:
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    return report.Started(report.Snippet(digest, source), toolchain.toolchain(), device, options)


def _run_all(
    programs: Sequence[FoundProgram], device: str, options: report.Options, emit: Emit, lease: Lease
) -> None:
    protocols = []
    for number, program in enumerate(programs):
        c = Compilation(number, program, options, _device_of(program, device), emit, lease)
        run(c)
        protocols.append(c.protocol)
    emit(report.Finished(next(filter(None, protocols), "")))


def _device(choice: report.DeviceChoice) -> tuple[report.Device, report.Failure | None]:
    """The device chosen; the CPU, and why not, where that cannot be used."""
    try:
        return toolchain.device(toolchain.resolve(choice)), None
    except FuselabError as error:
        return toolchain.device("cpu"), error.failure()


def _programs(source: str, options: report.Options, device: str, emit: Emit) -> list[FoundProgram]:
    """Finds and announces the snippet's programs; says why there are none or fewer."""
    announced: list[FoundProgram] = []
    try:
        found = find_programs(source, options, device, emit)
        if found.error is not None:
            emit(report.SnippetFailed(found.error))
        for program in found.programs:
            emit(_found(len(announced), program, device))
            announced.append(program)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        candidates = error.candidates if isinstance(error, NoProgramFound) else ()
        emit(report.SnippetFailed(own_fault(error).failure(_SNIPPET), list(candidates)))
    return announced


def _found(number: int, program: FoundProgram, device: str) -> report.ProgramFound:
    specs, backend = input_specs(program), BACKENDS[_device_of(program, device)]
    entry = report.Entry(program.line)
    return report.ProgramFound(number, program.name, program.framework, entry, specs, backend)


def _device_of(program: FoundProgram, device: str) -> str:
    """JAX's arrays are where JAX's own build can have them: the CPU."""
    return "cpu" if program.framework == "jax" else device


def run(c: Compilation, pipeline: Sequence[Stage] = PIPELINE) -> None:
    """Every wanted stage whose needs are there, for each graph or once. Whatever a stage raises
    ends it, and no other."""
    for stage in pipeline:
        for each in c.parts if stage.each_graph else [c]:
            try:
                with each.failing_as(stage.name, stage.kind):
                    _run(each, stage)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                if not each.was_shown(error):
                    raise


def _run(c: Compilation, stage: Stage) -> None:
    if stage.wanted(c) and all(getattr(c, need) is not None for need in stage.needs):
        c.began(stage.name)
        with _output_of(c, stage):
            stage.run(c)


def _output_of(c: Compilation, stage: Stage) -> AbstractContextManager[None]:
    """A program that the snippet has not called itself may print while it is captured; what it
    prints when it is run again, to be checked and timed, goes nowhere."""
    first = stage.name == "capture" and not c.program.ran
    return stream(c.emit) if first else suppress()
