"""Views in StableHLO."""

from compiler_core.ir.stablehlo.generic import Rule, integer, integers, named

RULES: dict[str, Rule] = {
    "broadcast_in_dim": named("broadcast_in_dim", broadcast_dimensions=integers("dimensions")),
    "transpose": named("transpose", permutation=integers("permutation")),
    "slice": named(
        "slice",
        start_indices=integers("start"),
        limit_indices=integers("limit"),
        strides=integers("strides"),
    ),
    "reverse": named("reverse", dimensions=integers("dimensions")),
    "concatenate": named("concatenate", dimension=integer("dimension")),
    "pad": named(
        "pad",
        edge_padding_low=integers("low"),
        edge_padding_high=integers("high"),
        interior_padding=integers("interior"),
    ),
}
