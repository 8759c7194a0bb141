"""Types of operations without operands: those that they declare."""

from compiler_core.ir.infer.rule import Attrs, Rule, Types, check, declared
from compiler_core.ir.types import TensorType


def _iota(operands: Types, attrs: Attrs) -> TensorType:
    result = declared(operands, attrs)
    check(
        0 <= attrs["dimension"] < result.rank and result.dtype.kind != "bool",
        lambda: f"iota of {result} along dimension {attrs['dimension']}",
    )
    return result


RULES: dict[str, Rule] = {"parameter": declared, "constant": declared, "iota": _iota}
