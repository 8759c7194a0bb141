"""TorchDynamo opened up: the snippet's own call through it, with graphs that torch runs operation
by operation."""

from collections.abc import Iterator, Mapping

from compiler_core import report
from compiler_core.capture.torch.dynamo.breaks import readable
from compiler_core.reference.dynamo import breaks, frames, private
from compiler_core.reference.dynamo.apart import apart
from compiler_core.reference.dynamo.call import Calling
from compiler_core.reference.dynamo.heard import Heard, as_break
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
    lines, call, heard = SourceLines(subject.captured.nodes), Calling(subject), Heard()
    raised: Exception | None = None
    with apart(subject.captured), heard.listening():
        try:
            call.first(call.compiled(heard.backend))
        except Exception as error:
            if not private.is_dynamos(error):
                raise
            raised = error
        times = {heard.ids.get(id_, id_): ms for id_, ms in private.compile_times().items()}
    fatal = [] if raised is None else [_fatal(raised, lines)]
    found = [breaks.finding(m, lines) for m in breaks.met(heard.breaks, heard.frames)]
    yield _overview(call.options, heard, raised)
    for frame in heard.frames:
        yield from frames.stages_of(frame, lines, times)
    yield breaks.stage([*found, *fatal])
    yield from found
    yield from fatal


def _fatal(error: Exception, lines: SourceLines) -> Finding:
    """What torch.compile raised in place of a graph break."""
    at = as_break(error, str(error), private.stack_of(error))
    return breaks.finding(breaks.Met(at, 1, ()), lines, fatal=True)


def _shown(value: object) -> str:
    """A function by its name: its address in memory is another in each run."""
    return getattr(value, "__name__", None) or readable(repr(value))


def _overview(
    options: Mapping[str, object], heard: Heard, raised: Exception | None
) -> report.Stage:
    given = ", ".join(f"{name}={_shown(value)}" for name, value in options.items())
    count = [counted(len(heard.graphs), "graph"), counted(len(heard.frames), "function")]
    ended = [] if raised is None else [f"torch.compile raises {type(raised).__name__}"]
    return report.Stage(
        "torch.compile",
        "ok" if raised is None else "failed",
        0.0,
        summary="; ".join([f"torch.compile({given})", f"{count[0]} in {count[1]}", *ended]),
    )
