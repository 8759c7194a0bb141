"""The ordered stages that a program goes through, by name.

    snippet -> capture -> passes -> target passes -> fuse -> schedule -> overrides -> emit -> build
            -> compile -> insides -> reference -> numerics -> measure -> timeline -> precision
            -> why -> trials

From the target's passes to compile, each stage is done for each backend: for the one that runs the
program, and for the one of the target that is shown; but for "overrides", which says of all of them
what became of what the run was asked to override.

Each stage says what it needs. A stage that fails ends its program's status as failed, and those
that need its result are left out; all others still run, so a program shows every
stage that it can reach. Every stage's event leaves the moment that the stage ends.
"""

import hashlib
from collections.abc import Sequence

from compiler_core import report, toolchain
from compiler_core.backends.registry import backends, chosen, device_in, kind, last_resort, running
from compiler_core.capture.torch.fast_path import OFF, without_fast_path, would_take_it
from compiler_core.errors import FuselabError, NoProgramFound, own_fault
from compiler_core.measure.allocator import reuse_memory
from compiler_core.pipeline import (
    evaluation,
    insides,
    noticed,
    overridden,
    planning,
    precision,
    stages,
    timeline,
)
from compiler_core.pipeline.context import Compilation, Emit, Lease, no_lease, writable
from compiler_core.pipeline.origin import Origin
from compiler_core.pipeline.stage import BackendStage, Stage
from compiler_core.pipeline.stage_by_stage import run
from compiler_core.pipeline.time_left import TimeLeft, endless
from compiler_core.pipeline.trials import remedies as trials
from compiler_core.snippet.called import call_text
from compiler_core.snippet.jax_devices import memory_of_arrays, stay_on_cpu
from compiler_core.snippet.modes import Modes
from compiler_core.snippet.program import FoundProgram, input_specs
from compiler_core.snippet.raised import is_interrupt
from compiler_core.snippet.run import find_programs
from compiler_core.supported import out_of_range

# The name of finding a snippet's programs, as the stage of a failure.
_SNIPPET = "snippet"
# The name of what is done for a program between its stages, as the stage of a failure.
_BETWEEN = "pipeline"

PIPELINE: tuple[Stage | BackendStage, ...] = (
    Stage("capture", "capture", stages.capture_program),
    Stage("passes", "pass", stages.run_passes, needs=("graph",), each_graph=True),
    BackendStage("target passes", "pass", stages.run_target_passes),
    BackendStage("fuse", "fuse", planning.fuse_graph, "graph"),
    BackendStage("schedule", "schedule", planning.schedule_groups, "fused"),
    Stage(overridden.NAME, overridden.NAME, overridden.report_overrides, wanted=overridden.wants),
    BackendStage("emit", "codegen", planning.emit, "plan"),
    BackendStage("build", "codegen", planning.build, "emitted", wanted=planning.runs),
    BackendStage(
        "compile", "compile", planning.compile_launches, "emitted", wanted=planning.compiles
    ),
    Stage("link", "codegen", evaluation.link, needs=("captured",), wanted=evaluation.is_several),
    Stage(insides.NAME, insides.NAME, insides.look_inside, wanted=insides.wants_insides),
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
        timeline.NAME,
        timeline.NAME,
        timeline.record_timelines,
        needs=("captured",),
        wanted=timeline.wants_timeline,
    ),
    Stage(
        "precision",
        "numerics",
        precision.locate_errors,
        needs=("captured", "executable"),
        wanted=precision.wants_precision,
    ),
    BackendStage("disassemble", "compile", planning.disassemble, "machine_code"),
    # Last, for trials capture and compile other programs, and torch forgets this one for them.
    Stage(noticed.NAME, noticed.NAME, noticed.notice, wanted=noticed.wants_why),
    Stage(trials.NAME, trials.NAME, trials.try_remedies, wanted=trials.wants_trials),
)
# The stages that a changed program goes through.
_OF_TRIALS = (
    "capture",
    "passes",
    "target passes",
    "fuse",
    "schedule",
    "emit",
    "build",
    "link",
    "reference",
)


def explore(
    source: str,
    options: report.Options,
    emit: Emit,
    *,
    lease: Lease = no_lease,
    time_left: TimeLeft = endless,
    stages: Sequence[Stage | BackendStage] | None = None,
) -> None:
    """Runs a snippet and compiles its programs, emitting events in order: Started first,
    Finished last. Raises nothing but what `emit` raises and a person's KeyboardInterrupt: whatever
    else ends a stage is one sentence in the report. `lease` is entered around everything that is
    measured on a device, and what it gives lets others go first. `time_left` tells the seconds
    until the run is stopped. `stages` are all of them, if none are given."""
    # Before the snippet or a compiler starts threads that allocate.
    reuse_memory()
    emit, modes = writable(emit), Modes.now()
    device, refused = _device(options.device)
    if kind(device.kind).is_host:
        stay_on_cpu()
    emit(_started(source, device, options))
    for text in out_of_range(toolchain.toolchain()):
        emit(report.Noticed(report.Notice("warning", text)))
    origin = Origin(source, options, kind(device.kind).memory, _compiled)
    all_ = stages or PIPELINE
    try:
        if refused is None:
            running(device.kind).begin()
            found = _programs(source, options, device.kind, emit)
            for warning in overridden.absent(options, len(found)) if found else ():
                emit(warning)
            _run_all(found, device.kind, options, emit, lease, all_, origin, time_left)
        else:
            emit(report.SnippetFailed(refused))
            emit(report.Finished())
    finally:
        modes.restore()


def explore_program(
    program: FoundProgram,
    source: str,
    device: str,
    options: report.Options,
    emit: Emit,
    *,
    remark: str = "",
    stages: Sequence[Stage | BackendStage] | None = None,
) -> None:
    """Emits the events of one program that the caller has found in `source`, with its tensors on
    `device`. `remark` is a notice on how it was found, blank for none."""
    emit = writable(emit)
    running(device).begin()
    emit(_started(source, kind(device).describe(), options))
    emit(_found(0, program, device))
    if remark:
        emit(report.Noticed(report.Notice("info", remark, program.line)))
    _run_all([program], device, options, emit, no_lease, stages or PIPELINE)


def _started(source: str, device: report.Device, options: report.Options) -> report.Started:
    digest = hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()
    return report.Started(report.Snippet(digest, source), toolchain.toolchain(), device, options)


def _run_all(
    programs: Sequence[FoundProgram],
    device: str,
    options: report.Options,
    emit: Emit,
    lease: Lease,
    stages: Sequence[Stage | BackendStage],
    origin: Origin | None = None,
    time_left: TimeLeft = endless,
) -> None:
    protocols = []
    for number, program in enumerate(programs):
        modes = Modes.now()  # as the snippet left them
        try:
            on = _device_of(program, device)
            c = Compilation(number, program, options, on, emit, lease, backends(on, options.target))
            c.origin, c.time_left = origin, time_left
            with program.as_called(), without_fast_path():
                _notify_of_fast_path(program, emit)
                run(c, stages)
            protocols.append(c.protocol)
        except BaseException as error:
            if is_interrupt(error):
                raise
            _fail_between(number, own_fault(error), emit)
        finally:
            modes.restore()
    emit(report.Finished(next(filter(None, protocols), "")))


def _notify_of_fast_path(program: FoundProgram, emit: Emit) -> None:
    if would_take_it(program):
        text = OFF.format(name=program.name)
        emit(report.Noticed(report.Notice("info", text, program.line)))


def _compiled(program: FoundProgram, like: Compilation, emit: Emit) -> Compilation:
    """Another program by what compiles `like`, whose events go to `emit`. Raises what that
    raises."""
    c = Compilation(
        like.number, program, like.options, like.device, emit, no_lease, like.backends[:1]
    )
    with program.as_called(), without_fast_path():
        run(c, [stage for stage in PIPELINE if stage.name in _OF_TRIALS])
    return c


def _fail_between(number: int, fault: FuselabError, emit: Emit) -> None:
    """Shows what no stage is to blame for."""
    stage = report.Stage(_BETWEEN, "failed", 0.0, kind=_BETWEEN, summary=fault.sentence)
    emit(report.StageDone(number, stage))
    emit(report.ProgramFailed(number, fault.failure(_BETWEEN)))


def _device(choice: report.DeviceChoice) -> tuple[report.Device, report.Failure | None]:
    """The device chosen; the one that is always there, and why, where that cannot be used."""
    try:
        return kind(chosen(choice)).describe(), None
    except FuselabError as error:
        return kind(last_resort()).describe(), error.failure()


def _programs(source: str, options: report.Options, device: str, emit: Emit) -> list[FoundProgram]:
    """Finds and announces the snippet's programs; says why there are none or fewer."""
    announced: list[FoundProgram] = []
    try:
        found = find_programs(source, options, kind(device).memory, emit)
        if found.error is not None:
            emit(report.SnippetFailed(found.error))
        for program in found.programs:
            emit(_found(len(announced), program, device))
            announced.append(program)
    except BaseException as error:
        if is_interrupt(error):
            raise
        candidates = error.candidates if isinstance(error, NoProgramFound) else ()
        emit(report.SnippetFailed(own_fault(error).failure(_SNIPPET), list(candidates)))
    return announced


def _found(number: int, program: FoundProgram, device: str) -> report.ProgramFound:
    specs, backend = input_specs(program), running(_device_of(program, device)).name
    entry = report.Entry(program.line)
    return report.ProgramFound(
        number, program.name, program.framework, entry, specs, backend, program.assumed,
        called=call_text(program),
    )  # fmt: skip


def _device_of(program: FoundProgram, device: str) -> str:
    """The device of a program of a run on `device`: JAX's arrays are where its installation can
    have them."""
    if program.framework != "jax":
        return device
    return device_in(memory_of_arrays(kind(device).memory))
