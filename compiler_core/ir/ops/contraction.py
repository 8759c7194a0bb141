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
    # StableHLO's, of (input, kernel). Where each dimension stands (ir/convolution.py): `lhs_dims`
    # and `out_dims` (batch, feature, *spatial), `rhs_dims` (out feature, in feature, *spatial).
    # `low` and `high` may be negative. Batch groups are feature groups of a reshaped input.
    OpInfo(
        "convolution", 2, "opaque", 1,
        ("strides", "low", "high", "lhs_dilation", "rhs_dilation", "window_reversal", "groups",
         "lhs_dims", "rhs_dims", "out_dims"),
        wraps=True,
    ),
)  # fmt: skip
