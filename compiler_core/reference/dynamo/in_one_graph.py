"""What torch.compile raises of a program that the snippet wants in one graph (fullgraph=True)."""

from compiler_core.reference.dynamo.call import Calling
from compiler_core.reference.dynamo.raised import raised
from compiler_core.reference.dynamo.replay import Replay
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Subject
from compiler_core.report import Finding


def is_wanted_in_one_graph(subject: Subject) -> bool:
    """Whether the snippet gives torch.compile fullgraph=True."""
    return bool(subject.program.options.get("fullgraph"))


def raised_in_one_graph(subject: Subject) -> Finding | None:
    """The entry of the why-list for what torch.compile raises of the snippet's own calls; None
    where it raises nothing. Raises what the program raises."""
    replay = Replay.of(Calling(subject))
    if replay.raised is None:
        return None
    return raised(replay.raised, SourceLines(subject.captured.nodes))
