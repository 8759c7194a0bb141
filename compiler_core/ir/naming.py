"""Names of values that stay where ids move: after what a person wrote, not after how many values a
pass made before."""

from collections import Counter
from collections.abc import Iterator

from compiler_core.ir.graph import Region, Value
from compiler_core.ir.origins import captured


def value_names(graph: Region) -> dict[str, Value]:
    """Every computed value by its name: `3.add` is the first result of an `add` that the captured
    operation 3 has become, in the graph's order, `3.add.2` the second. Of what several captured
    operations have become, the first one counts; what comes from none has its operation's name.
    Regions stand before the operation that runs them. The page names them the same way
    (frontend/src/graph/names.ts)."""
    found, counts = dict[str, Value](), Counter[str]()
    for value in _computed(graph):
        stem = ".".join((*map(str, sorted(captured(value.origins))[:1]), value.op))
        counts[stem] += 1
        found[stem if counts[stem] == 1 else f"{stem}.{counts[stem]}"] = value
    return found


def _computed(graph: Region) -> Iterator[Value]:
    for operation in graph.walk():
        yield from operation.results
