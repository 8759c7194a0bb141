"""Products summed over shared dimensions."""

from compiler_core.ir.ops.info import OpInfo

ROWS = (
    OpInfo(
        "dot_general",
        2,
        "opaque",
        1,
        ("lhs_batch", "rhs_batch", "lhs_contract", "rhs_contract"),
        wraps=True,
    ),
)
