"""Types of sorting."""

from compiler_core.ir.graph import Region
from compiler_core.ir.infer.rule import Attrs, SeveralRule, Types, check
from compiler_core.ir.types import I32


def _sort(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    dimension, keys = attrs["dimension"], attrs["keys"]
    check(
        all(t.shape == operands[0].shape for t in operands)
        and 0 <= dimension < operands[0].rank
        and 1 <= keys <= len(operands),
        lambda: f"sort of {', '.join(map(str, operands))} along {dimension} by {keys} keys",
    )
    return operands


def _top_k(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    (operand,), k = operands, attrs["k"]
    check(
        operand.rank > 0 and 0 <= k <= operand.shape[-1], lambda: f"the {k} greatest of {operand}"
    )
    values = operand.with_shape((*operand.shape[:-1], k))
    return values, values.with_dtype(I32)


SEVERAL: dict[str, SeveralRule] = {"sort": _sort, "top_k": _top_k}
