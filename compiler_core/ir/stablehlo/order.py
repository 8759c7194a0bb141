"""Sorting in StableHLO; the k greatest in CHLO."""

from functools import lru_cache

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Operation, Region, Value
from compiler_core.ir.stablehlo.generic import SeveralRule, operation_text
from compiler_core.ir.stablehlo.region import region_text
from compiler_core.ir.types import DType, TensorType

# Above the ids of any graph that it is printed in.
_FIRST_ID = 10**9


@lru_cache(maxsize=64)
def _comparator(dtypes: tuple[DType, ...], keys: int, descending: bool) -> Region:
    """The region that says whether the first tuple of elements is ordered before the second; the
    arguments come in pairs."""
    b = Builder(_FIRST_ID)

    def body(*values: Value) -> tuple[Value, ...]:
        pairs = [values[i : i + 2][:: -1 if descending else 1] for i in range(0, 2 * keys, 2)]
        *others, last = pairs
        before = _less(b, *last)
        for x, y in reversed(others):
            before = b.node("or", _less(b, x, y), b.node("and", _equal(b, x, y), before))
        return (before,)

    types = [TensorType(t) for t in dtypes for _ in range(2)]
    return b.region("comparator", types, body)


def _less(b: Builder, x: Value, y: Value) -> Value:
    """x < y, with NaN after every number."""
    less = b.compare(x, y, "LT")
    if not x.type.dtype.is_float:
        return less
    number = b.compare(x, x, "EQ")
    return b.node("or", less, b.node("and", number, b.compare(y, y, "NE")))


def _equal(b: Builder, x: Value, y: Value) -> Value:
    equal = b.compare(x, y, "EQ")
    if not x.type.dtype.is_float:
        return equal
    return b.node("or", equal, b.node("and", b.compare(x, x, "NE"), b.compare(y, y, "NE")))


def _sort(operation: Operation) -> str:
    dtypes = tuple(t.dtype for t in operation.types)
    region = _comparator(dtypes, operation["keys"], operation["descending"])
    attributes = {
        "dimension": f"{operation['dimension']} : i64",
        "is_stable": str(bool(operation["stable"])).lower(),
    }
    return operation_text(
        operation.results[0], "stablehlo.sort", attributes, f" {region_text(region)}"
    )


def _top_k(operation: Operation) -> str:
    return operation_text(operation.results[0], "chlo.top_k", {"k": f"{operation['k']} : i64"})


SEVERAL: dict[str, SeveralRule] = {"sort": _sort, "top_k": _top_k}
