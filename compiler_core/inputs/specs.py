"""Text -> the shape and type of a tensor: "f32[32,512]".

The grammar is DTYPE[DIM,DIM,...]; a scalar is DTYPE[]. A dimension is a number, or a size that
varies from call to call with its value in this one: B=32, and B alone once that has been said.
Behind it may stand how its values are drawn (drawn.py).
"""

import re
from dataclasses import dataclass
from math import prod

from compiler_core.inputs.drawn import Drawn, read_drawn
from compiler_core.inputs.error import InputsError, shown

BYTES = {
    "f64": 8,
    "f32": 4,
    "f16": 2,
    "bf16": 2,
    "c64": 8,
    "i64": 8,
    "i32": 4,
    "i16": 2,
    "i8": 1,
    "u8": 1,
    "u16": 2,
    "u32": 4,
    "bool": 1,
}
MAX_INPUTS = 64
MAX_RANK = 16
MAX_INPUT_BYTES = 2**31
MAX_TOTAL_BYTES = 2**32

_SPACE = re.compile(r"\s*")
_NAME = re.compile(r"\w+")
_DIMENSION = re.compile(r"(?:(\w++)\s*+=\s*+)?([0-9]{1,12})|([^\W\d]\w*)")
# Names of sizes have a form that cannot be confused with other names in generated texts.
_SIZE_NAME = re.compile(r"[A-Z][a-z0-9]*")
# 0 and 1 are special sizes: nothing to do, and broadcasting.
LEAST_VARYING = 2


@dataclass(frozen=True)
class InputSpec:
    """One input; prints as it is written. `shape` is that of this call; `names` has the name of
    each dimension that varies, "" for the others; () where none does. `drawn` is how its values
    are drawn, None for what is usual for its type."""

    dtype: str
    shape: tuple[int, ...]
    names: tuple[str, ...] = ()
    drawn: Drawn | None = None

    @property
    def nbytes(self) -> int:
        """The size of the tensor in bytes."""
        return BYTES[self.dtype] * prod(self.shape)

    def __str__(self) -> str:
        names = self.names or ("",) * len(self.shape)
        dims = (f"{n}={s}" if n else str(s) for n, s in zip(names, self.shape, strict=True))
        return f"{self.dtype}[{','.join(dims)}]{self.drawn or ''}"


def read_spec(text: str, start: int, sizes: dict[str, int]) -> tuple[InputSpec, int]:
    """The spec at `start`, and where it ends. `sizes` has the sizes that have been named so far, to
    which it adds others. Raises InputsError."""
    dtype = _dtype(text, start)
    opening = skip(text, start + len(dtype))
    if text[opening : opening + 1] != "[":
        raise InputsError(
            f'the shape of "{dtype}" is missing',
            opening + 1,
            f"write {dtype}[] for a scalar or {dtype}[32,512] for a matrix",
        )
    closing = text.find("]", opening)
    if closing < 0:
        raise InputsError(
            f'"{shown(text[start:])}" is not closed',
            start + 1,
            'end it with "]", as in f32[32,512]',
        )
    dims = _dims(text[opening + 1 : closing], opening + 1, sizes)
    names = tuple(name for name, _ in dims)
    shape = tuple(size for _, size in dims)
    drawn, end = read_drawn(text, closing + 1, dtype)
    return InputSpec(dtype, shape, names if any(names) else (), drawn), end


def _dtype(text: str, start: int) -> str:
    found = _NAME.match(text, start)
    if found is None:
        what = (
            f'"{shown(text[start:])}" is not an input'
            if start < len(text)
            else "an input is missing"
        )
        raise InputsError(what, start + 1, "write a type and a shape, as in f32[32,512]")
    if found[0] not in BYTES:
        raise InputsError(
            f'"{shown(found[0])}" is not a type', start + 1, f"choose one of {', '.join(BYTES)}"
        )
    return found[0]


def _dims(inside: str, offset: int, sizes: dict[str, int]) -> list[tuple[str, int]]:
    """(name, size) of each dimension; `sizes` has those that have been named, and gets others."""
    if not inside.strip():
        return []
    dims: list[tuple[str, int]] = []
    for part in inside.split(","):
        found = _DIMENSION.fullmatch(part.strip())
        if found is None:
            what = (
                f'"{shown(part.strip())}" is not a dimension'
                if part.strip()
                else "a dimension is missing"
            )
            raise InputsError(what, offset + 1, "write whole numbers, as in f32[32,512]")
        name, number, alone = found[1], found[2], found[3]
        if name or alone:
            dims.append((name or alone, _named(name or alone, number, offset + 1, sizes)))
        else:
            dims.append(("", int(number)))
        offset += len(part) + 1
    if len(dims) > MAX_RANK:
        raise InputsError(
            f"{len(dims)} dimensions are too many", offset, f"give at most {MAX_RANK}"
        )
    return dims


def _named(name: str, number: str | None, column: int, sizes: dict[str, int]) -> int:
    """The size `name` in this call."""
    if not _SIZE_NAME.fullmatch(name):
        raise InputsError(
            f'"{shown(name)}" is not a name of a size', column,
            "write a capital letter, then small letters or digits, as in f32[B=32,512]",
        )  # fmt: skip
    if number is None and name not in sizes:
        raise InputsError(f"{name} has no value", column, f"write {name}=32 where it comes first")
    size = sizes.setdefault(name, int(number or 0))
    if number is not None and size != int(number):
        raise InputsError(
            f"{name} is {size} and {int(number)}", column, "give a size that varies one value"
        )
    if size < LEAST_VARYING:
        raise InputsError(
            f"{name} is {size}, and a size that varies is at least {LEAST_VARYING}", column,
            f"write {size} without a name",
        )  # fmt: skip
    return size


def check_size(spec: InputSpec, count: int, total: int, start: int) -> None:
    """Raises InputsError for the spec at `start` if it is one too many, as number `count`, or if
    the `total` bytes of all specs up to it are too many."""
    if count > MAX_INPUTS:
        raise InputsError("there are too many inputs", start + 1, f"give at most {MAX_INPUTS}")
    if spec.nbytes > MAX_INPUT_BYTES:
        raise InputsError(
            f"{shown(str(spec))} takes {spec.nbytes:,} bytes",
            start + 1,
            f"give an input of at most {MAX_INPUT_BYTES:,} bytes",
        )
    if total > MAX_TOTAL_BYTES:
        raise InputsError(
            f"the inputs up to here take {total:,} bytes",
            start + 1,
            f"give at most {MAX_TOTAL_BYTES:,} bytes in all",
        )


def skip(text: str, at: int) -> int:
    """The first position from `at` on that is no space."""
    found = _SPACE.match(text, at)
    return found.end() if found else at
