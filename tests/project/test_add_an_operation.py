"""docs/how-to/add-an-operation.md names every place: one operation of each family is looked up
in each."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from compiler_core.analysis.traffic import FLOPS
from compiler_core.codegen.c import monoids as c_monoids
from compiler_core.codegen.c import ops as c
from compiler_core.codegen.triton import monoids as triton_monoids
from compiler_core.codegen.triton import ops as triton
from compiler_core.ir import eval_jax, eval_numpy, eval_torch, infer, stablehlo
from compiler_core.ir.combination import combination
from compiler_core.ir.monoids import MONOIDS
from compiler_core.ir.ops import FAMILIES, FREE_VIEWS, OPS
from compiler_core.ir.types import F32, I32
from compiler_core.kernel import combined, indexed, pieces
from compiler_core.kernel.affine import OPERAND_INDEX
from compiler_core.plan.build import STEPS
from conformance.graphs import exactness
from conformance.graphs import table as dtypes

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
        assert op in TABLES.get(room, OPS) or OPS[op].regions != "none", f"{op} in {room}"


def test_stablehlo_has_a_file_where_an_operation_has_attributes():
    rules = {**stablehlo.RULES, **stablehlo.SEVERAL, **stablehlo.CONTROL}
    alike = {"reshape", "dynamic_update_slice", "parameter"}
    for row in OPS.values():
        assert row.name in rules or not row.attrs or row.name in alike, row.name


def test_what_a_loop_computes_has_its_code_and_a_free_view_its_index():
    for row in FAMILIES["elementwise"]:
        assert row.name in c.RULES and row.name in triton.RULES, row.name
    assert set(OPERAND_INDEX) == FREE_VIEWS


def test_every_other_loop_has_a_rule_of_its_loop_nest():
    rules = {**combined.RULES, **indexed.RULES, **pieces.RULES}
    loops = {row.name for row in OPS.values() if row.fusion == "loop"}
    assert set(rules) == loops - {row.name for row in FAMILIES["elementwise"]}


@pytest.mark.parametrize("family", FAMILIES)
def test_random_programs_have_it_in_the_file_of_its_family(family):
    steps = import_module(f"conformance.graphs.{family}").STEPS
    assert set(steps) == {row.name for row in FAMILIES[family]}


def test_what_has_a_template_or_arithmetic_of_its_own_is_in_the_table():
    assert set(STEPS) <= {row.name for row in OPS.values() if row.fusion == "opaque"}
    assert set(FLOPS) <= set(OPS)


@pytest.mark.parametrize("name", MONOIDS)
def test_a_monoid_has_a_body_and_a_text_in_both_languages(name):
    dtypes = (F32, I32) if MONOIDS[name].extremum else (F32,) * len(MONOIDS[name].components)
    dtypes = (I32,) if name in {"and", "or"} else dtypes
    assert len(combination(name, dtypes).outputs) == len(dtypes)
    assert c_monoids.monoid(name, dtypes).combine and triton_monoids.monoid(name, dtypes).tile


def test_every_file_that_the_page_names_exists_and_is_named_in_full():
    named = re.findall(r"`((?:compiler_core|conformance|frontend)/[\w/]+(?:\.py|\.ts|/))`", PAGE)
    assert named and all((ROOT / path).exists() for path in named)
    tables = (combined, indexed, pieces, c_monoids, triton_monoids, c, triton, dtypes, exactness)
    files = {module.__name__.replace(".", "/") + ".py" for module in tables}
    assert files | {"frontend/src/lib/operations.ts"} <= set(named)
