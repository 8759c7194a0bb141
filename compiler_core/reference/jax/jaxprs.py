"""A jaxpr's text with its line map. JAX prints the place of an equation after it,

    d:f32[2,3] = tanh c                                   # <snippet>:6:8 (g)

which is parsed here and not shown.
"""

import re
from typing import Any

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.source_lines import SourceLines
from compiler_core.snippet.source import is_own

_PLACE = re.compile(r"\s+# (?P<file>\S.*?):(?P<line>\d+)(?::(?P<column>\d+))?(?: \(.*\))?$")
# The place of an equation; equations that JAX's own code adds have none.
_PLACED = re.compile(rf"(?:{_PLACE.pattern})|\s+#\s*$")
_PRIMITIVE = re.compile(r"[^=]*= (?P<name>[\w\-]+)")


def shown(name: str, closed: Any, lines: SourceLines) -> report.Artifact:
    """The text of a closed jaxpr."""
    text = closed.jaxpr.pretty_print(source_info=True, use_color=False)
    return mapped(name, text, lines)


def mapped(name: str, text: str, lines: SourceLines) -> report.Artifact:
    """A jaxpr's text from one with the places of its equations."""
    located = text.splitlines()
    shown = "".join(f"{_PLACED.sub('', line)}\n" for line in located)
    return artifact(name, "jaxpr", shown, [_ids(line, lines) for line in located])


def _ids(line: str, lines: SourceLines) -> list[int]:
    """The operations at an equation's place, of its primitive where some are."""
    place, primitive = _PLACE.search(line), _PRIMITIVE.match(line)
    if place is None or not is_own(place["file"]):
        return []
    column = int(place["column"]) if place["column"] else None
    found = lines.at(int(place["line"]), column)
    ops = {node.id: node.op for node in lines.nodes} if len(found) > 1 else {}
    return [i for i in found if primitive and ops.get(i) == primitive["name"]] or found


def equations(closed: Any) -> int:
    """The number of equations in a jaxpr and in those nested in it."""
    return sum(1 + sum(map(equations, _inner(e.params))) for e in closed.jaxpr.eqns)


def _inner(params: dict[str, Any]) -> list[Any]:
    """The jaxprs among an equation's parameters, as things that have `jaxpr`."""
    found: list[Any] = []
    for value in params.values():
        for each in value if isinstance(value, tuple | list) else (value,):
            if hasattr(each, "jaxpr"):
                found.append(each)
            elif hasattr(each, "eqns"):
                found.append(_Bare(each))
    return found


class _Bare:
    """A jaxpr without constants, as one with them."""

    def __init__(self, jaxpr: Any) -> None:
        self.jaxpr = jaxpr
