"""The module that IREE is given."""

import pytest

from compiler_core.reference.iree.given import undivided

pytestmark = pytest.mark.null

MODULE = """\
module @jit_f {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}} loc(unknown)
  func.func public @main(%arg0: tensor<2xui32> loc(#loc1)) -> tensor<2xui32> {
    %0 = sdy.sharding_constraint %arg0 <@empty_mesh, [{}]> : tensor<2xui32> loc(unknown)
    return %0 : tensor<2xui32> loc(#loc)
  }
}
"""


def test_what_divides_values_among_no_devices_is_left_out() -> None:
    found = undivided(MODULE)
    assert "sdy" not in found
    kept = "    %0 = stablehlo.reshape %arg0 : (tensor<2xui32>) -> tensor<2xui32> loc(unknown)"
    assert kept in found.splitlines()
    assert len(found.splitlines()) == len(MODULE.splitlines()) - 1


def test_a_mesh_of_devices_stays() -> None:
    text = '%1 = sdy.sharding_constraint %0 <@mesh, [{"x"}]> : tensor<4xf32>\n'
    assert undivided(text) == text
