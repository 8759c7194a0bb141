"""Names of values that stay the same when ids change: they say which captured operation a value
comes from, and do not depend on how many values a pass created before."""

from collections import Counter
from collections.abc import Iterator

from compiler_core.ir.graph import Region, Value
from compiler_core.ir.origins import captured


def value_names(graph: Region) -> dict[str, Value]:
    """Every computed value by its name: `3.add` is the first result, in the graph's order, of an
    `add` that captured operation 3 became, `3.add.2` the second. A value that comes from several
    captured operations is named after the first one; a value that comes from none has only its
    operation's name. Values of regions precede the operation that runs these. The page names values
    in the same way (frontend/src/graph/names.ts)."""
    found, counts = dict[str, Value](), Counter[str]()
    for value in _computed(graph):
        stem = ".".join((*map(str, sorted(captured(value.origins))[:1]), value.op))
        counts[stem] += 1
        found[stem if counts[stem] == 1 else f"{stem}.{counts[stem]}"] = value
    return found


def _computed(graph: Region) -> Iterator[Value]:
    for operation in graph.walk():
        yield from operation.results
