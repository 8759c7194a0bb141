"""Reads TVMScript as TVM prints modules: the functions and the calls in each.

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
# TVM's operator patterns, by which it fuses, in words (include/tvm/relax/op_attr_types.h).
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
    """`variable` is bound to the result of `function`; `is_kernel` if that is a TIR function."""

    variable: str
    function: str
    is_kernel: bool


def functions(text: str) -> Iterator[tuple[str, str]]:
    """Each line with the name of the function that it is in; blank outside of functions."""
    name = ""
    for line in text.splitlines():
        if line.strip().startswith("@"):
            name = ""
        if defined := _DEFINED.match(line):
            name = defined[1]
        yield name, line


def calls(text: str) -> dict[str, list[Call]]:
    """The calls in each function, by its name, in order."""
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
    """The operator pattern of each function that has one, in words."""
    found = {}
    for name, line in functions(text):
        if pattern := _PATTERN.search(line):
            found[name] = _PATTERNS.get(int(pattern[1]), f"pattern {pattern[1]}")
    return found
