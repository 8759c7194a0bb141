"""Each pass: a small graph before and after as a golden file, the same values, regions walked."""

import numpy as np
import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text
from compiler_core.ir.types import F32, TensorType
from compiler_core.ir.verify import verify
from compiler_core.passes.order import PASSES, of_target
from compiler_core.passes.views import MergeViews
from compiler_core.rewrite.engine import by_root
from tests.compiler_core.passes.rule_examples import RULES

GRAPHS = {
    "expand-random-bits": """graph f(%0: f32[4,8]) {
      %1 = constant() {value = 7} : u64[2]
      %2, %3 = rng_bit_generator(%1) {algorithm = THREE_FRY} : u64[2], u8[3]
      return %2, %3
    }""",
    "fold-constants": """graph f(%0: f32[4,8]) {
      %1 = constant() {value = 4} : i32[]
      %2 = convert(%1) : f32[]
      %3 = sqrt(%2) : f32[]
      %4 = broadcast_in_dim(%3) {dimensions = ()} : f32[4,8]
      %5 = multiply(%0, %4) : f32[4,8]
      return %5
    }""",
    "merge-views": """graph f(%0: f32[4,8]) {
      %1 = reshape(%0) : f32[32]
      %2 = reshape(%1) : f32[8,4]
      %3 = transpose(%2) {permutation = (1, 0)} : f32[4,8]
      %4 = transpose(%3) {permutation = (1, 0)} : f32[8,4]
      %5 = tanh(%4) : f32[8,4]
      return %5
    }""",
    "order-matmuls": """graph f(%0: f32[4,8]) {
      %1 = reshape(%0) : f32[2,2,8]
      %2 = dot_general(%1, %1) {lhs_batch = (1), rhs_batch = (1), lhs_contract = (2),
        rhs_contract = (2)} : f32[2,2,2]
      return %2
    }""",
    "simplify-algebra": """graph f(%0: f32[4,8]) {
      %1 = constant() {value = 2.0} : f32[4,8]
      %2 = power(%0, %1) : f32[4,8]
      %3 = negate(%2) : f32[4,8]
      %4 = negate(%3) : f32[4,8]
      %5 = divide(%4, %1) : f32[4,8]
      return %5
    }""",
    "loop-invariants": """graph f(%0: f32[4,8]) {
      %1 = scan(%0, %0) {length = 3, reverse = False, carried = 1, scanned = 0}
        body(%2: f32[4,8], %3: f32[4,8]) {
        %4 = tanh(%3) : f32[4,8]
        %5 = add(%2, %4) : f32[4,8]
        return %5
      } : f32[4,8]
      return %1
    }""",
    "common-subexpressions": """graph f(%0: f32[4,8]) {
      %1 = tanh(%0) : f32[4,8]
      %2 = tanh(%0) : f32[4,8]
      %3, %4 = top_k(%1) {k = 2, total = False} : f32[4,2], i32[4,2]
      %5, %6 = top_k(%2) {k = 2, total = False} : f32[4,2], i32[4,2]
      %7 = add(%3, %5) : f32[4,2]
      return %7, %6
    }""",
    "sum-products": """graph f(%0: f32[4,8]) {
      %1 = slice(%0) {start = (0, 0), limit = (1, 8), strides = (1, 1)} : f32[1,8]
      %2 = dot_general(%1, %0) {lhs_batch = (), rhs_batch = (), lhs_contract = (1),
        rhs_contract = (1)} : f32[1,4]
      return %2
    }""",
    "recompute-columns": """graph f(%0: f32[4,8]) {
      %1 = reduce(%0) {monoid = add, dimensions = (1)} : f32[4]
      %2 = broadcast_in_dim(%1) {dimensions = (0)} : f32[4,8]
      %3 = subtract(%0, %2) : f32[4,8]
      %4 = reduce(%3) {monoid = maximum, dimensions = (1)} : f32[4]
      %5 = reduce(%3) {monoid = add, dimensions = (0)} : f32[8]
      return %4, %5
    }""",
}  # fmt: skip

# Each pass has something to do in the body, which no value from outside reaches.
LOOP = """graph f(%0: f32[4,8]) {{
  %1 = call(%0) body(%2: f32[4,8]) {{
    {body}
    return %9
  }} : f32[4,8]
  return %1
}}"""
BODIES = {
    "expand-random-bits":
        "%6 = constant() {value = 7} : u64[2]\n%7, %8 = rng_bit_generator(%6) "
        "{algorithm = PHILOX} : u64[2], u32[4,8]\n%9 = convert(%8) : f32[4,8]",
    "merge-views": "%8 = reshape(%2) : f32[32]\n%9 = reshape(%8) : f32[4,8]",
    "simplify-algebra": "%8 = negate(%2) : f32[4,8]\n%9 = negate(%8) : f32[4,8]",
    "common-subexpressions":
        "%7 = tanh(%2) : f32[4,8]\n%8 = tanh(%2) : f32[4,8]\n%9 = add(%7, %8) : f32[4,8]",
}  # fmt: skip

BY_NAME = {each.name: each for each in (*PASSES, *of_target(2.0, frozenset({2})))}
X = np.linspace(-2, 3, 32, dtype=np.float32).reshape(4, 8)


def assert_same(before, after):
    for a, b in zip(evaluate(before, [X]), evaluate(after, [X]), strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-7)


def shortened(text, ends=20):
    """The rounds of a cipher are all alike."""
    lines = text.splitlines()
    if len(lines) <= 3 * ends:
        return text
    return "\n".join([*lines[:ends], f"  ... {len(lines) - 2 * ends} lines ...", *lines[-ends:]])


@pytest.mark.parametrize("name", BY_NAME)
def test_before_and_after(name, golden):
    before = verify(parse(GRAPHS[name]))
    after, rewrites = BY_NAME[name].run(before)
    assert_same(before, verify(after, name))
    done = "\n".join(f"{r.rule}: {r.before}  ->  {r.after}" for r in rewrites)
    golden(f"{to_text(before)}\n{done}\n\n{shortened(to_text(after))}")


@pytest.mark.parametrize("name", BODIES)
def test_regions_are_walked(name):
    before = verify(parse(LOOP.format(body=BODIES[name])))
    after, rewrites = BY_NAME[name].run(before)
    assert rewrites and len(list(after.walk())) != len(list(before.walk()))
    assert_same(before, verify(after, name))


def test_a_rule_that_a_pass_is_to_do_without_is_left_out():
    lazy = MergeViews(without=("reshape-twice",))
    graph = parse(GRAPHS["merge-views"])
    assert str(lazy) == "merge-views{without=reshape-twice}" and str(MergeViews()) == "merge-views"
    assert [r.rule for r in lazy.run(graph)[1]].count("reshape-twice") == 0
    assert [r.rule for r in MergeViews().run(graph)[1]].count("reshape-twice") == 1


def test_a_node_tries_only_the_rules_of_its_operation():
    index = by_root(tuple(RULES.values()))
    assert {r.name for r in index("transpose")} == {
        "without-elements", "view-of-constant", "view-of-nothing", "transpose-twice",
        "transpose-of-matmul", "transpose-of-matmuls",
    }  # fmt: skip
    assert {r.name for r in index("tanh")} == {"without-elements", "elementwise-behind-merged"}


def test_each_of_many_equal_operations_is_said_to_be_the_first():
    b = Builder()
    x = b.parameter(TensorType(F32, (4,)), "x")
    equal = []
    for origin in range(5):
        with b.origin(origin):
            equal.append(b.node("tanh", x))
    _, rewrites = BY_NAME["common-subexpressions"].run(b.graph("equal", equal))
    assert [r.nodes for r in rewrites] == [[0, 1], [0, 2], [0, 3], [0, 4]]


@pytest.mark.parametrize(
    "changes",
    [
        {"return %4, %5": "return %4, %5, %3"},
        {"subtract(%0, %2)": "atan2(%0, %2)"},
        {"add, dimensions = (1)} : f32[4]": "add, dimensions = (0)} : f32[8]",
         "(%1) {dimensions = (0)}": "(%1) {dimensions = (1)}"},
    ],
    ids=["in memory anyway", "costlier than memory", "no norm of rows"],
)  # fmt: skip
def test_columns_are_not_computed_again_where_that_saves_nothing(changes):
    text = GRAPHS["recompute-columns"]
    for old, new in changes.items():
        text = text.replace(old, new)
    graph = verify(parse(text))
    assert BY_NAME["recompute-columns"].run(graph) == (graph, [])


@pytest.mark.parametrize(("ops_per_byte", "done"), [(1.0, False), (4.0, True)])
def test_columns_are_computed_again_where_that_is_cheaper_for_the_target(ops_per_byte, done):
    """A hyperbolic tangent counts as 10 adds: 8 bytes are 8 adds for one target, and 32 for
    another."""
    text = GRAPHS["recompute-columns"].replace("subtract(%0, %2)", "atan2(%0, %2)")
    graph = verify(parse(text))
    *_, each = of_target(ops_per_byte)
    after, rewrites = each.run(graph)
    assert (after is not graph) == done == bool(rewrites)
