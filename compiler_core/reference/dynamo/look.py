"""TorchDynamo opened up: the snippet's own calls compiled by it, with graphs that torch runs
operation by operation."""

from collections.abc import Iterator

from compiler_core import report
from compiler_core.capture.torch.dynamo.breaks import readable
from compiler_core.reference.dynamo import breaks, frames, guards, recompiles, sizes
from compiler_core.reference.dynamo.call import Calling
from compiler_core.reference.dynamo.heard import without_folders
from compiler_core.reference.dynamo.raised import raised
from compiler_core.reference.dynamo.replay import Replay
from compiler_core.reference.dynamo.rewritten import is_rest
from compiler_core.reference.result import artifact
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.report import Finding
from compiler_core.wording import counted


def look(subject: Subject) -> Look:
    """The stages of Dynamo's compilation of the program, or why there is none."""
    if subject.framework != "torch":
        return "TorchDynamo follows programs of PyTorch, and this one is JAX's"
    return _look(subject)


def _look(subject: Subject) -> Iterator[Item]:
    lines = SourceLines(subject.captured.nodes)
    replay = Replay.of(Calling(subject))
    yield _overview(replay)
    yield from _stages(replay, lines)
    met = breaks.met(replay.heard.breaks, replay.heard.frames)
    gaps = breaks.charged(replay.gaps, replay.heard.frames)
    found = [breaks.finding(m, lines, gaps) for m in met]
    yield breaks.stage(found)
    graphs = report.Figure(len(replay.heard.graphs))
    yield report.CompilerSummary("dynamo", graphs=graphs, breaks=report.Figure(len(found)))
    yield recompiles.stage(replay, lines)
    yield sizes.stage(replay, lines)
    yield from found
    if replay.raised is not None:
        narrowed = [s for of in replay.symbols.values() for s in of]
        yield raised(replay.raised, lines, narrowed)
    yield from recompiles.findings(replay, lines)
    yield from recompiles.more(replay)
    yield from _specialised(replay, lines)


def _stages(replay: Replay, lines: SourceLines) -> Iterator[report.Stage]:
    for frame in replay.heard.frames:
        yield from frames.stages_of(frame, lines, replay.times)
        if frame.id in replay.guards:
            known = sizes.values(replay.symbols.get(frame.id, ()))
            yield guards.stage(frame, replay.guards[frame.id], known, lines)


def _specialised(replay: Replay, lines: SourceLines) -> Iterator[Finding]:
    """Of the latest compilation of each of the snippet's functions; the rest of one is called by
    what Dynamo wrote alone."""
    dynamic = replay.calling.options.get("dynamic")
    latest = {id(f.old): f for f in replay.heard.frames if f.is_own and not is_rest(f.old.co_name)}
    for frame in latest.values():
        found, ms = replay.guards.get(frame.id, ()), replay.times.get(frame.id)
        yield from guards.specialised(found, lines, dynamic, ms)


def _shown(value: object) -> str:
    """A function by its name: its address in memory is another in each run."""
    return getattr(value, "__name__", None) or readable(repr(value))


def _overview(replay: Replay) -> report.Stage:
    options, heard, error = replay.calling.options, replay.heard, replay.raised
    given = ", ".join(f"{name}={_shown(value)}" for name, value in options.items())
    count = f"{counted(len(heard.graphs), 'graph')} in {counted(len(heard.frames), 'function')}"
    ended = [] if error is None else [f"torch.compile raises {type(error).__name__}"]
    return report.Stage(
        "torch.compile",
        "ok" if error is None else "failed",
        0.0,
        [] if error is None else [artifact("raised", "text", without_folders(str(error)))],
        summary="; ".join([f"torch.compile({given})", count, *ended]),
    )
