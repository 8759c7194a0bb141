"""Operations that move or repeat elements and compute nothing.

`concatenate` and `pad` are computed by a loop: they choose between operands, so no single affine
index reads them in place.
"""

from compiler_core.ir.ops.info import OpInfo

ROWS = (
    OpInfo("broadcast_in_dim", 1, "view", 0, ("dimensions",), aliases=True, repeats=True),
    OpInfo("reshape", 1, "view", 0, aliases=True, same_order=True, permutes=True),
    OpInfo("transpose", 1, "view", 0, ("permutation",), aliases=True, permutes=True),
    OpInfo("slice", 1, "view", 0, ("start", "limit", "strides"), aliases=True, reads_part=True),
    OpInfo("reverse", 1, "view", 0, ("dimensions",)),
    OpInfo("concatenate", None, "loop", 0, ("dimension",)),
    OpInfo("pad", 2, "loop", 0, ("low", "high", "interior")),
)
