"""From the lines of TensorFlow's StableHLO to the snippet's: each operation has the name of the one
in TensorFlow's graph that it comes of,

    %6 = stablehlo.add %3, %5 : tensor<128x64xf32> loc(#loc20)
    #loc20 = loc(fused[#loc11, #loc7])
    #loc11 = loc("Gelu/add")
    #loc7 = loc("ops.py":1221:0)
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from compiler_core.snippet.stablehlo.module import Module, Operation, Region

_DEFINED = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
_USED = re.compile(r" loc\(([^()]*(?:\([^()]*\))?)\)")
# A name that is not a file with its line.
_NAME = re.compile(r'"([^"]+)"(?!:\d)')
_REFERENCE = re.compile(r"#loc\d*")


def names_of(text: str) -> list[str]:
    """For each line of a module, the name of its operation in TensorFlow; "" if it has none."""
    lines = text.splitlines()
    known = {m[1]: m[2] for line in lines if (m := _DEFINED.match(line))}
    return ["" if line.startswith("#loc") else _of_line(line, known) for line in lines]


def _of_line(line: str, known: Mapping[str, str]) -> str:
    """The last location is the operation's own; others are of a block's arguments."""
    used = _USED.findall(line)
    return _name(used[-1], known) if used else ""


def _name(location: str, known: Mapping[str, str], above: frozenset[str] = frozenset()) -> str:
    """Its own name, else the first of those that it is fused of; `above` are those that it is a
    part of."""
    if own := _NAME.search(location):
        return own[1]
    parts = (each for each in _REFERENCE.findall(location) if each not in above)
    inner = (_name(known.get(each, ""), known, above | {each}) for each in parts)
    return next(filter(None, inner), "")


def line_of(name: str, lines: Mapping[str, int]) -> int | None:
    """The snippet's line of an operation; for one in a branch or a loop ("cond/mul") that is not
    known itself, the line of the branch or loop."""
    while name and name not in lines:
        name = name.rpartition("/")[0]
    return lines.get(name)


def placed(module: Module, text: str, lines: Mapping[str, int], default: int) -> Module:
    """The module with the snippet's lines in place of those of its text; `default` for operations
    that TensorFlow itself added."""
    own = [line_of(name, lines) or default for name in names_of(text)]

    def region(given: Region) -> Region:
        return replace(given, operations=tuple(map(operation, given.operations)))

    def operation(given: Operation) -> Operation:
        line = own[given.line - 1] if 0 < given.line <= len(own) else default
        return replace(given, line=line, column=0, regions=tuple(map(region, given.regions)))

    return Module(
        {n: replace(f, body=region(f.body), line=default) for n, f in module.functions.items()}
    )
