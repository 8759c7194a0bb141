"""What each monoid of a reduction is in C: accumulator type, identity, fold, OpenMP clause."""

from dataclasses import dataclass

from compiler_core.codegen.c.types import literal, register_type, unsigned_type
from compiler_core.ir.types import BOOL, F32, DType
from compiler_core.schedule.cpu import register

_OF_BOOLS = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}
_OPERATORS = {"add": "+", "multiply": "*", "and": "&", "or": "|"}
_IDENTITIES = {"add": 0, "multiply": 1, "or": 0, "and": -1}


@dataclass(frozen=True, slots=True)
class Monoid:
    """`fold` is the statement that folds {x} into {a}; `clause` the operator in reduction(...).
    `wide`: a type to add up partial results of long reductions in, "" where none is needed.
    `nan`: what an extremum becomes once it has seen a NaN. In a loop in vectors it is folded by
    `ordered`, a single instruction that overlooks NaN, beside an integer that remembers one."""

    type: str
    identity: str
    fold: str
    clause: str
    wide: str = ""
    nan: str = ""
    ordered: str = ""


def monoid(name: str, dtype: DType) -> Monoid:
    """The monoid `name` over values of `dtype`."""
    if dtype is BOOL:
        name = _OF_BOOLS.get(name, name)
        operator = _OPERATORS[name]
        identity = "1" if name == "and" else "0"
        return Monoid("unsigned char", identity, f"{{a}} {operator}= {{x}};", operator)
    if name in ("maximum", "minimum"):
        return _extremum(name, dtype)
    operator = _OPERATORS[name]
    fold = f"{{a}} {operator}= {{x}};"
    if dtype.is_float:
        held = register(dtype)
        wide = "double" if held is F32 else ""
        identity = literal(_IDENTITIES[name], held)
        return Monoid(register_type(dtype), identity, fold, operator, wide)
    kind = unsigned_type(dtype) if dtype.bits >= 32 else "unsigned"
    return Monoid(kind, str(_IDENTITIES[name]), fold, operator)


def _extremum(name: str, dtype: DType) -> Monoid:
    short, largest, kind = name[:3], name == "maximum", register_type(dtype)
    sign = ">" if largest else "<"
    fold = f"{{a}} = {{x}} {sign} {{a}} ? {{x}} : {{a}};"
    if dtype.is_float:
        function = f"{short}_{register(dtype)}"
        least = literal(float("-inf") if largest else float("inf"), dtype)
        whole = f"{{a}} = {function}({{a}}, {{x}});"
        nan = literal(float("nan"), dtype)
        return Monoid(kind, least, whole, short, nan=nan, ordered=fold)
    low, high = _range(dtype)
    return Monoid(kind, literal(low if largest else high, dtype), fold, short)


def _range(dtype: DType) -> tuple[int, int]:
    if dtype.kind == "uint":
        return 0, 2**dtype.bits - 1
    return -(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1
