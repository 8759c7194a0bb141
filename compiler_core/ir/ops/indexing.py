"""Reading and writing at indices that are values themselves. Dimension numbers are StableHLO's."""

from compiler_core.ir.ops.info import OpInfo

# What an index out of bounds does:
OUT_OF_BOUNDS = (
    "in_bounds",  # there is none: whoever built the graph knows
    "clamp",  # the nearest window that is in bounds
    "mask",  # a gather gives `fill` for the whole window, a scatter writes none of it
    "wrap",  # negative ones count from the end, as in Python; then a gather clamps, a scatter masks
)
# How a scatter combines an element with an update; with "set", any one of several updates of an
# element may win.
COMBINATIONS = ("set", "add", "multiply", "maximum", "minimum")

ROWS = (
    # (operand, indices)
    OpInfo(
        "gather", 2, "loop", 1,
        ("offset_dims", "collapsed_slice_dims", "operand_batching_dims",
         "start_indices_batching_dims", "start_index_map", "index_vector_dim", "slice_sizes",
         "out_of_bounds", "fill"),
        reads_part=True,
    ),
    # (operand, indices, updates). `unique`: no two updates are of one element.
    OpInfo(
        "scatter", 3, "loop", 1,
        ("update_window_dims", "inserted_window_dims", "input_batching_dims",
         "scatter_indices_batching_dims", "scatter_dims_to_operand_dims", "index_vector_dim",
         "combine", "out_of_bounds", "unique"),
        wraps=True,
    ),
    # (operand, a start for each dimension): clamped so that the slice is in bounds.
    OpInfo("dynamic_slice", None, "loop", 0, ("sizes",), reads_part=True),
    # (operand, update, a start for each dimension): clamped likewise.
    OpInfo("dynamic_update_slice", None, "loop", 0),
)  # fmt: skip
