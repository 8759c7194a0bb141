"""Counts over the whole program: of its graphs, and of what the framework runs outside of them."""

from compiler_core import report
from compiler_core.analysis import traffic
from compiler_core.analysis.work import native_share
from compiler_core.capture.captured import Captured, Outside
from compiler_core.ir.substitute import at_hint
from compiler_core.pipeline.context import Compilation
from compiler_core.plan.plan import Plan
from compiler_core.wording import counted

_MOST_PLACES = 3


def summary(root: Compilation) -> report.Summary:
    """Counts over all graphs, for those plans that exist and run. What the framework runs itself
    counts for eager and for the core."""
    planned = [(part, part.running.plan) for part in root.parts]
    known = [(part, plan) for part, plan in planned if plan is not None]
    outside = Outside() if root.captured is None else root.captured.outside
    counts = [_around(outside), *(_counts(part, plan) for part, plan in known)]
    totals = {name: sum(each.get(name, 0) for each in counts) for name in _ALL}
    share = native_share([x.step for _, plan in known for x in plan.walk()], outside.launches)
    return report.Summary(**totals, launches_outside=outside.launches, native_share=share)


def _around(outside: Outside) -> dict[str, int]:
    """Fields of a Summary, of what is in no graph."""
    return {
        "launches_eager": outside.launches, "launches_core": outside.launches,
        "bytes_eager": outside.bytes, "bytes_core": outside.bytes,
    }  # fmt: skip


def _counts(c: Compilation, plan: Plan) -> dict[str, int]:
    """Fields of a Summary, of one graph."""
    graph = c.running.graph
    assert c.source is not None and graph is not None
    eager, core = traffic.of_graph(at_hint(c.source.graph)), traffic.core(plan)
    final = sum(len(operation.results) for operation in graph.walk())
    return {
        "ops_captured": len(c.source.nodes), "ops_final": final,
        "launches_eager": eager.launches, "launches_core": core.launches,
        "bytes_eager": eager.bytes, "bytes_core": core.bytes,
    }  # fmt: skip


_ALL = (
    "ops_captured", "ops_final", "launches_eager", "launches_core", "bytes_eager", "bytes_core"
)  # fmt: skip


def of_outside(captured: Captured, name: str) -> str:
    """A sentence on what the framework runs itself in program `name`; "" if it runs nothing."""
    outside = captured.outside
    if not outside.launches:
        return ""
    count = counted(outside.launches, "operation")
    verb = "is" if outside.launches == 1 else "are"
    places = "; ".join(map(_place, outside.of[:_MOST_PLACES]))
    more = ", and elsewhere" if len(outside.of) > _MOST_PLACES else ""
    return (
        f"{count} of {name} {verb} in no graph, and {verb} run by PyTorch one by one: "
        f"{places}{more}"
    )


def _place(of: tuple[str, int | None]) -> str:
    module, line = of
    if line is None:
        return f"{module}, outside of the snippet" if module else "outside of the snippet"
    return f"{module} on line {line}" if module else f"line {line}"
