"""A region of scalar operations: what a reduction, a scatter or a sort does with elements."""

from compiler_core.ir.graph import Region
from compiler_core.ir.stablehlo import elementwise, leaves
from compiler_core.ir.stablehlo.generic import operation_text, use
from compiler_core.ir.stablehlo.mlir_text import type_text

_RULES = {**leaves.RULES, **elementwise.RULES}


def region_text(region: Region) -> str:
    """`({ ^bb0(%x: tensor<f32>, ...): ... "stablehlo.return"(%y) ... })`, one line for each
    operation."""
    arguments = ", ".join(f"{x}: {type_text(x.type)}" for x in region.inputs)
    results = ", ".join(type_text(x.type) for x in region.outputs)
    lines = [f"^bb0({arguments}):"]
    for value in region.computed:
        rule = _RULES.get(value.op)
        lines.append(rule(value) if rule else operation_text(value, f"stablehlo.{value.op}"))
    lines.append(f'"stablehlo.return"({", ".join(map(use, region.outputs))}) : ({results}) -> ()')
    return "({" + "\n  ".join(lines) + "})"
