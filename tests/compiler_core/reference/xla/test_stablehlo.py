"""StableHLO with the snippet's places, on stored samples."""

import pytest

from compiler_core.reference.xla import stablehlo
from compiler_core.reference.xla.places import Places
from tests.compiler_core.reference.xla.samples import NAMES, NODES, VERSIONS, sample


@pytest.mark.parametrize("version", VERSIONS)
def test_an_operation_has_its_place_in_the_line_map_and_not_in_the_text(version: str) -> None:
    found = stablehlo.shown(sample(version, "stablehlo.mlir"), Places("jax", NODES))
    lines = found.text.splitlines()
    assert "loc(" not in found.text and lines[0].startswith("module @jit_f")
    assert len(found.nodes) == len(lines)
    by_line = dict(zip(lines, found.nodes, strict=True))
    names = {line.strip(): [NAMES[n] for n in ids] for line, ids in by_line.items()}
    assert names["%5 = stablehlo.sine %4 : tensor<16x32xf32>"] == ["sin"]
    assert names["%2 = stablehlo.add %arg0, %1 : tensor<32x16xf32>"] == ["add"]
    # A function's body has the place of what calls it.
    assert names["%1 = stablehlo.maximum %arg0, %0 : tensor<32x16xf32>"] == ["max"]
    assert names["return %10, %11 : tensor<16x16xf32>, tensor<16x32xf32>"] == []


def test_a_module_is_given_on_with_captured_operations_as_its_only_locations() -> None:
    text = (
        "func.func public @main(%arg0: tensor<8xf32> loc(unknown)) -> tensor<8xf32> {\n"
        "  %0 = stablehlo.reduce(%arg0) {\n"
        '  ^bb0(%a: tensor<f32> loc("jit(f)/op3/sum"(#loc1)), %b: tensor<f32> loc(unknown)):\n'
        "    %1 = stablehlo.add %a, %b : tensor<f32> loc(#loc2)\n"
        "  } loc(#loc2)\n"
        "#loc = loc(unknown)\n"
        '#loc1 = loc("<snippet>":3:20 to :25)\n'
        '#loc2 = loc("jit(f)/op3/sum"(#loc1))\n'
    )
    found = stablehlo.located(text, Places("torch", NODES))
    assert "#loc" not in found and found.count('loc("ops:3")') == 2
    assert found.count("loc(unknown)") == 3 and found.count("\n") == 5
