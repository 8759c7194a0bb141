"""Parses how the values of a tensor are drawn: "~uniform(0,1)" after its type and shape."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.inputs.error import InputsError, shown

_DRAWN = re.compile(r"\s*~\s*(?:(\w+)\s*(?:\(([^()]*)\))?)?")
_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
FLOATS = ("f64", "f32", "f16", "bf16")
# The least and the largest value of each integer type.
_WHOLE = {
    "bool": (0, 1),
    "i64": (-(2**63), 2**63 - 1),
    "i32": (-(2**31), 2**31 - 1),
    "i16": (-(2**15), 2**15 - 1),
    "i8": (-128, 127),
    "u8": (0, 255),
    "u16": (0, 2**16 - 1),
    "u32": (0, 2**32 - 1),
}


@dataclass(frozen=True)
class Drawn:
    """A distribution by its name, with its numbers; prints as it is written."""

    name: str
    numbers: tuple[float, ...] = ()

    def __str__(self) -> str:
        numbers = ",".join(repr(number).removesuffix(".0") for number in self.numbers)
        return f"~{self.name}({numbers})" if numbers else f"~{self.name}"


@dataclass(frozen=True)
class _Kind:
    """What its numbers are, for people; which of them can be; and the least and the largest value
    that is drawn, None where there are none."""

    form: str
    holds: Callable[[tuple[float, ...]], bool]
    range: Callable[[tuple[float, ...]], tuple[float, float]] | None = None


KINDS = {
    "normal": _Kind("normal(mean, deviation)", lambda n: len(n) == 2 and n[1] > 0),
    "uniform": _Kind(
        "uniform(least, below)",
        lambda n: len(n) == 2 and n[0] < n[1],
        lambda n: (n[0], math.ceil(n[1]) - 1),
    ),
    "constant": _Kind("constant(value)", lambda n: len(n) == 1, lambda n: (n[0], n[0])),
}


def read_drawn(text: str, start: int, dtype: str) -> tuple[Drawn | None, int]:
    """The distribution at `start`, None where there is none, and where it ends. Raises
    InputsError."""
    found = _DRAWN.match(text, start)
    if found is None:
        return None, start
    column = found.start() + 1
    name = found[1] or ""
    kind = KINDS.get(name)
    if kind is None:
        forms = ", ".join(each.form for each in KINDS.values())
        raise InputsError(
            f'"{shown(name)}" is not a distribution', column, f"choose one of {forms}"
        )
    numbers = _numbers(found[2] or "")
    if numbers is None or not kind.holds(numbers):
        raise InputsError(
            f'"{shown(found[0].strip())}" is no {name} distribution',
            column,
            f"write {kind.form} with numbers, as in f32[32,512]~uniform(0,1)",
        )
    if not _fits(kind, numbers, dtype):
        raise InputsError(
            f"{dtype} cannot hold {shown(found[0].strip())}",
            column,
            "write uniform or constant with whole numbers that the type has",
        )
    return Drawn(name, numbers), found.end()


def _fits(kind: _Kind, numbers: tuple[float, ...], dtype: str) -> bool:
    """Whether a tensor of this type can have such values; one of complex numbers has its own."""
    if dtype in FLOATS:
        return True
    if kind.range is None or dtype not in _WHOLE:
        return False
    (least, largest), (lowest, highest) = kind.range(numbers), _WHOLE[dtype]
    return lowest <= least and largest <= highest


def _numbers(inside: str) -> tuple[float, ...] | None:
    parts = [part.strip() for part in inside.split(",")]
    if not all(_NUMBER.fullmatch(part) for part in parts):
        return None
    numbers = tuple(map(float, parts))
    return numbers if all(map(math.isfinite, numbers)) else None
