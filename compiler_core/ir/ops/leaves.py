"""Operations without operands: inputs, constants and index ramps."""

from compiler_core.ir.ops.info import OpInfo

ROWS = (
    OpInfo("parameter", 0, "memory", 0, ("index", "name")),
    # Every element is `value`.
    OpInfo("constant", 0, "literal", 0, ("value",), telling=False),
    # The index along one dimension.
    OpInfo("iota", 0, "literal", 1, ("dimension",)),
)
