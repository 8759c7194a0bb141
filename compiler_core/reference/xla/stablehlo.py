"""StableHLO with its line map: MLIR prints the places of operations after them, by names that are
defined at the end of the text,

    %2 = stablehlo.add %arg0, %1 : tensor<8xf32> loc(#loc25)
    #loc3 = loc("<snippet>":3:20 to :25)
    #loc17 = loc(callsite(#loc3 at #loc4))
    #loc25 = loc("jit(f)/add"(#loc17))

which are parsed here and not shown.
"""

import re
from dataclasses import dataclass, field

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.xla.places import Places

_DEFINED = re.compile(r"(#loc\d*) = loc\((.*)\)$")
_USED = re.compile(r' loc\((?:(#loc\d*)|unknown|"(?:[^"\\]|\\.)*"(?:\(#loc\d*\))?)\)')
_AT = re.compile(r'^"(?P<file>(?:[^"\\]|\\.)*)":(?P<line>\d+):(?P<column>\d+)')
_NAMED = re.compile(r'^"(?P<name>(?:[^"\\]|\\.)*)"\(')
_REFERENCE = re.compile(r"#loc\d*")
_FUNCTION = re.compile(r"\s*func\.func \w+ @([\w.]+)")
_CALL = re.compile(r"call @([\w.]+)\(")


@dataclass
class _Locations:
    """What each name of a location stands for."""

    texts: dict[str, str]
    _stacks: dict[str, list[tuple[str, int, int]]] = field(default_factory=dict)

    def stack(self, name: str) -> list[tuple[str, int, int]]:
        """The places in files of a location, innermost first: a call site names its callee
        first."""
        if name not in self._stacks:
            self._stacks[name] = []
            text = self.texts.get(name, "")
            if at := _AT.match(text):
                self._stacks[name] = [(at["file"], int(at["line"]), int(at["column"]))]
            else:
                inner = _REFERENCE.findall(text)
                self._stacks[name] = [place for each in inner for place in self.stack(each)]
        return self._stacks[name]

    def name(self, location: str) -> str:
        """The operation's name in JAX at a location; "" if it has none."""
        named = _NAMED.match(self.texts.get(location, ""))
        return named["name"] if named else ""


def shown(text: str, places: Places, after: str = "") -> report.Artifact:
    """The module with its line map. `text` is the result of `as_text(debug_info=True)`; `after` is
    appended to the artifact's name."""
    lines = text.splitlines()
    known = _Locations({m[1]: m[2] for line in lines if (m := _DEFINED.match(line))})
    kept = [line for line in lines if line and not line.startswith("#loc")]
    nodes = _with_callers(kept, [_ids(line, known, places) for line in kept])
    return artifact(
        f"stablehlo{after}", "stablehlo", "".join(f"{_USED.sub('', x)}\n" for x in kept), nodes
    )


def located(text: str, places: Places) -> str:
    """The module with the ids of captured operations as its only locations: `loc("ops:3,4")`."""
    lines = text.splitlines()
    known = _Locations({m[1]: m[2] for line in lines if (m := _DEFINED.match(line))})

    def own(found: re.Match[str]) -> str:
        ids = places.ids(known.name(found[1]), known.stack(found[1])) if found[1] else []
        return f' loc("ops:{",".join(map(str, ids))}")' if ids else " loc(unknown)"

    kept = (line for line in lines if line and not line.startswith("#loc"))
    return "".join(f"{_USED.sub(own, line)}\n" for line in kept)


def _ids(line: str, known: _Locations, places: Places) -> list[int]:
    """Those of the operation of a line, whose location is its last."""
    names = [n for n in _USED.findall(line) if n]
    return places.ids(known.name(names[-1]), known.stack(names[-1])) if names else []


def _with_callers(lines: list[str], nodes: list[list[int]]) -> list[list[int]]:
    """What has no place of its own, in a function that is called, has that of its callers."""
    callers: dict[str, set[int]] = {}
    for line, ids in zip(lines, nodes, strict=True):
        if called := _CALL.search(line):
            callers.setdefault(called[1], set()).update(ids)
    found, function = [], ""
    for line, ids in zip(lines, nodes, strict=True):
        named = _FUNCTION.match(line)
        function = named[1] if named else function
        found.append(ids or (sorted(callers.get(function, ())) if " = " in line else []))
    return found
