"""TVMScript as TVM prints modules: which functions it has, and what calls what.

@R.function
def main(x: R.Tensor((8, 16), dtype="float32"), ...) -> ...:
    with R.dataflow():
        lv1 = R.call_tir(cls.add, (lv, b), out_ty=R.Tensor((8, 4), dtype="float32"))
        lv2: R.Tensor((8, 4), dtype="float32") = cls.fused_mean_subtract(lv1)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MAIN = "main"
_DEFINED = re.compile(r"    def ([\w.]+)\(")
_BOUND = re.compile(r"\s+(\w+)(?:: [^=]+(?:=[^=]+)*?)? = (R\.call_tir\()?cls\.(\w+)\b")
_VARIABLE = re.compile(r"\s+(\w+)(?:: .*?)? = ")
_PATTERN = re.compile(r'"op_pattern": (\d+)')
# What kinds of operations TVM fuses by (include/tvm/relax/op_attr_types.h).
_PATTERNS = {
    0: "elementwise",
    1: "broadcast",
    2: "injective",
    3: "reduction",
    4: "elementwise may follow",
    7: "tuple",
    8: "opaque",
}


@dataclass(frozen=True)
class Call:
    """`variable` is given what a function returns; `is_kernel` of one that is loops."""

    variable: str
    function: str
    is_kernel: bool


def functions(text: str) -> Iterator[tuple[str, str]]:
    """Each line with the function that it is in; a blank name outside of all."""
    name = ""
    for line in text.splitlines():
        if line.strip().startswith("@"):
            name = ""
        if defined := _DEFINED.match(line):
            name = defined[1]
        yield name, line


def calls(text: str) -> dict[str, list[Call]]:
    """The calls in each function, in order."""
    found: dict[str, list[Call]] = {}
    for name, line in functions(text):
        if bound := _BOUND.match(line):
            found.setdefault(name, []).append(Call(bound[1], bound[3], bool(bound[2])))
    return found


def variable_of(line: str) -> str:
    """The variable that a line binds; blank where it binds none."""
    found = _VARIABLE.match(line)
    return found[1] if found else ""


def patterns(text: str) -> dict[str, str]:
    """How TVM has classed each function, in words."""
    found = {}
    for name, line in functions(text):
        if said := _PATTERN.search(line):
            found[name] = _PATTERNS.get(int(said[1]), f"pattern {said[1]}")
    return found
