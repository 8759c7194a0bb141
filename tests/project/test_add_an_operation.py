"""docs/how-to/add-an-operation.md names every place: one operation of each family is looked up
in each."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from compiler_core.codegen.c import ops as c
from compiler_core.codegen.triton import ops as triton
from compiler_core.ir import eval_jax, eval_numpy, eval_torch, infer, stablehlo
from compiler_core.ir.ops import FAMILIES, FREE_VIEWS, OPS
from compiler_core.kernel.affine import OPERAND_INDEX

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/add-an-operation.md").read_text()
ROOMS = re.findall(r"`compiler_core/ir/(\w+)/` \|$", PAGE, re.MULTILINE)
TABLES = {
    "infer": {**infer.RULES, **infer.SEVERAL},
    "eval_numpy": {**eval_numpy.RULES, **eval_numpy.SEVERAL},
    "eval_torch": {**eval_torch.RULES, **eval_torch.SEVERAL},
    "eval_jax": {**eval_jax.RULES, **eval_jax.SEVERAL},
}


def test_the_page_names_every_family_and_every_room():
    assert set(re.findall(r"`(\w+)`", PAGE.split("Every room")[1].split("|")[0])) >= set(FAMILIES)
    assert set(ROOMS) == {"ops", "infer", "eval_numpy", "eval_torch", "eval_jax", "stablehlo"}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_operation_of_the_family_has_a_row_at_each_place(family):
    op = next(row.name for row in FAMILIES[family] if row.name != "parameter")
    for room in set(ROOMS) - {"stablehlo"}:
        assert (ROOT / f"compiler_core/ir/{room}/{family}.py").exists(), room
        import_module(f"compiler_core.ir.{room}.{family}")
        assert op in TABLES.get(room, OPS) or OPS[op].has_regions, f"{op} in {room}"


def test_stablehlo_has_a_file_where_an_operation_has_attributes():
    rules = {**stablehlo.RULES, **stablehlo.SEVERAL, **stablehlo.CONTROL}
    alike = {"reshape", "dynamic_update_slice", "parameter"}
    for row in OPS.values():
        assert row.name in rules or not row.attrs or row.name in alike, row.name


def test_what_a_loop_computes_has_its_code_and_a_free_view_its_index():
    for row in FAMILIES["elementwise"]:
        assert row.name in c.RULES and row.name in triton.RULES, row.name
    assert set(OPERAND_INDEX) == FREE_VIEWS
