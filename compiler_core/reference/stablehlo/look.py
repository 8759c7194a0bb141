"""A program's captured graphs as StableHLO."""

from collections.abc import Iterator

from compiler_core import report
from compiler_core.capture.captured import CapturedGraph
from compiler_core.ir.stablehlo import lines
from compiler_core.ir.substitute import at_hint
from compiler_core.reference.subject import Look, Subject
from compiler_core.wording import counted


def look(subject: Subject) -> Look:
    """A stage for each captured graph, with sizes that vary as they are in the captured call."""
    graphs = subject.captured.graphs
    return _stages(graphs) if graphs else "no part of the program became a graph"


def _stages(graphs: tuple[CapturedGraph, ...]) -> Iterator[report.Stage]:
    for each in graphs:
        texts, origins = zip(*lines(at_hint(each.graph)), strict=True)
        text = "".join(f"{line}\n" for line in texts)
        nodes = [list(ids) for ids in origins]
        artifact = report.Artifact("stablehlo", "stablehlo", "stablehlo", text, nodes)
        calls = sum(1 for line in texts if "stablehlo.custom_call" in line)
        calls_text = f", {counted(calls, 'library call')} as custom calls" if calls else ""
        yield report.Stage(
            "stablehlo", "ok", 0.0, [artifact], graph=each.id, summary=f"1 module{calls_text}"
        )
