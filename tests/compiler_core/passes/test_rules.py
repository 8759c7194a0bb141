"""Every rule: an example that it rewrites, which computes the same before and after."""

import numpy as np
import pytest

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text
from compiler_core.ir.types import F32
from compiler_core.ir.verify import verify
from compiler_core.passes import algebra, constant_folding, cse, dots, known_ranges, views
from compiler_core.plan.steps import COPY
from compiler_core.rewrite.engine import rewrite
from tests.compiler_core.codegen.c.graphs import plan_of

RULES = {
    r.name: r
    for r in (
        *constant_folding.RULES,
        *known_ranges.RULES,
        *views.RULES,
        *algebra.RULES,
        *dots.RULES,
        dots.TRANSPOSED_RESULT,
        dots.SWAPPED,
    )
}

C = "%1 = constant() {{value = {0}}} : f32[4,8]"


def with_constant(value, op, swapped=False):
    operands = "%1, %0" if swapped else "%0, %1"
    return [C.format(value), f"%2 = {op}({operands}) : f32[4,8]"]


# The rule's name -> the lines of a graph over %0: f32[4,8], the last of which is returned.
EXAMPLES = {
    "view-of-constant": [
        "%1 = constant() {value = 2.5} : f32[]",
        "%2 = broadcast_in_dim(%1) {dimensions = ()} : f32[4,8]",
    ],
    "convert-constant": ["%1 = constant() {value = 3} : i32[2]", "%2 = convert(%1) : f32[2]"],
    "constant-arithmetic": [
        "%1 = constant() {value = 3.0} : f32[2]",
        "%2 = sqrt(%1) : f32[2]",
    ],
    "without-elements": [
        "%1 = slice(%0) {start = (0, 3), limit = (4, 3), strides = (1, 1)} : f32[4,0]",
    ],
    "reduce-of-nothing": [
        "%1 = constant() {value = 1.0} : f32[4,0]",
        "%2 = reduce(%1) {monoid = maximum, dimensions = (1)} : f32[4]",
    ],
    "constant-truth": [
        "%1 = constant() {value = 3.0} : f32[2]",
        "%2 = constant() {value = inf} : f32[2]",
        "%3 = compare(%1, %2) {direction = LT} : bool[2]",
    ],
    "known-order": [
        "%1 = iota() {dimension = 0} : i32[8]",
        "%2 = constant() {value = 0} : i32[8]",
        "%3 = compare(%1, %2) {direction = LT} : bool[8]",
    ],
    "known-extremum": [
        "%1 = iota() {dimension = 0} : i32[8]",
        "%2 = constant() {value = 7} : i32[8]",
        "%3 = minimum(%1, %2) : i32[8]",
    ],
    "known-within": [
        "%1 = iota() {dimension = 0} : i32[8]",
        "%2 = constant() {value = 0} : i32[8]",
        "%3 = constant() {value = 7} : i32[8]",
        "%4 = clamp(%2, %1, %3) : i32[8]",
    ],
    "known-conversion": [
        "%1 = compare(%0, %0) {direction = NE} : bool[4,8]",
        "%2 = constant() {value = 0.0} : f32[4,8]",
        "%3 = constant() {value = 1.0} : f32[4,8]",
        "%4 = constant() {value = 255.0} : f32[4,8]",
        "%5 = minimum(%0, %3) : f32[4,8]",
        "%6 = maximum(%2, %5) : f32[4,8]",
        "%7 = multiply(%6, %4) : f32[4,8]",
        "%8 = round_nearest_even(%7) : f32[4,8]",
        "%9 = compare(%8, %8) {direction = NE} : bool[4,8]",
        "%10 = select(%9, %2, %8) : f32[4,8]",
        "%11 = minimum(%10, %4) : f32[4,8]",
        "%12 = convert(%11) : u8[4,8]",
    ],
    "known-part": [
        "%1 = is_finite(%0) : bool[4,8]",
        "%2 = constant() {value = True} : bool[4,8]",
        "%3 = and(%2, %1) : bool[4,8]",
    ],
    "known-choice": [
        "%1 = constant() {value = False} : bool[4,8]",
        "%2 = tanh(%0) : f32[4,8]",
        "%3 = select(%1, %2, %0) : f32[4,8]",
    ],
    "view-of-nothing": ["%1 = reshape(%0) : f32[4,8]"],
    "reshape-twice": ["%1 = reshape(%0) : f32[32]", "%2 = reshape(%1) : f32[2,16]"],
    "transpose-twice": [
        "%1 = reshape(%0) : f32[4,2,4]",
        "%2 = transpose(%1) {permutation = (1, 2, 0)} : f32[2,4,4]",
        "%3 = transpose(%2) {permutation = (0, 2, 1)} : f32[2,4,4]",
    ],
    "broadcast-twice": [
        "%1 = broadcast_in_dim(%0) {dimensions = (0, 2)} : f32[4,3,8]",
        "%2 = broadcast_in_dim(%1) {dimensions = (1, 2, 3)} : f32[2,4,3,8]",
    ],
    "broadcast-keepdims": [
        "%1 = reduce(%0) {monoid = add, dimensions = (1)} : f32[4]",
        "%2 = reshape(%1) : f32[4,1]",
        "%3 = broadcast_in_dim(%2) {dimensions = (0, 1)} : f32[4,8]",
    ],
    "reduce-of-units": [
        "%1 = reshape(%0) : f32[4,1,8]",
        "%2 = reduce(%1) {monoid = maximum, dimensions = (1)} : f32[4,8]",
    ],
    "reduce-of-merged": [
        "%1 = reshape(%0) : f32[32]",
        "%2 = reduce(%1) {monoid = maximum, dimensions = (0)} : f32[]",
    ],
    "elementwise-behind-merged": [
        "%1 = transpose(%0) {permutation = (1, 0)} : f32[8,4]",
        "%2 = reshape(%1) : f32[32]",
        "%3 = constant() {value = 2.0} : f32[32]",
        "%4 = power(%3, %2) : f32[32]",
    ],
    "add-zero": with_constant(-0.0, "add"),
    "subtract-zero": with_constant(0.0, "subtract"),
    "multiply-one": with_constant(1.0, "multiply", swapped=True),
    "divide-one": with_constant(1.0, "divide"),
    "negate-twice": ["%1 = negate(%0) : f32[4,8]", "%2 = negate(%1) : f32[4,8]"],
    "subtract-from-zero": with_constant(-0.0, "subtract", swapped=True),
    "multiply-minus-one": with_constant(-1.0, "multiply"),
    "maximum-itself": ["%1 = maximum(%0, %0) : f32[4,8]"],
    "maximum-of-least": with_constant("-inf", "maximum", swapped=True),
    "minimum-of-greatest": with_constant("inf", "minimum"),
    "minimum-itself": ["%1 = minimum(%0, %0) : f32[4,8]"],
    "power-one": with_constant(1.0, "power"),
    "power-two": with_constant(2.0, "power"),
    "power-three": with_constant(3.0, "power"),
    "power-half": with_constant(0.5, "power"),
    "power-minus-one": with_constant(-1.0, "power"),
    "power-minus-half": with_constant(-0.5, "power"),
    "reciprocal-root": [
        C.format(1.0),
        "%2 = sqrt(%0) : f32[4,8]",
        "%3 = divide(%1, %2) : f32[4,8]",
    ],
    "sigmoid": [
        C.format(1.0),
        "%2 = negate(%0) : f32[4,8]",
        "%3 = exponential(%2) : f32[4,8]",
        "%4 = add(%1, %3) : f32[4,8]",
        "%5 = divide(%1, %4) : f32[4,8]",
    ],
    "divide-by-power-of-two": with_constant(8.0, "divide"),
    "sum-of-nothing": [
        "%1 = constant() {value = 1.0} : f32[4,0]",
        "%2 = dot_general(%1, %1) {lhs_batch = (), rhs_batch = (), "
        "lhs_contract = (1), rhs_contract = (1)} : f32[4,4]",
    ],
    "product-of-one-term": [
        "%1 = slice(%0) {start = (0, 0), limit = (4, 1), strides = (1, 1)} : f32[4,1]",
        "%2 = reshape(%0) : f32[4,8,1]",
        "%3 = dot_general(%1, %2) {lhs_batch = (0), rhs_batch = (0), "
        "lhs_contract = (1), rhs_contract = (2)} : f32[4,8]",
    ],
    "transpose-of-matmul": [
        "%1 = reshape(%0) : f32[8,4]",
        "%2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (), "
        "lhs_contract = (1), rhs_contract = (0)} : f32[4,4]",
        "%3 = transpose(%2) {permutation = (1, 0)} : f32[4,4]",
    ],
    "widening-last": [
        "%1 = convert(%0) : i32[4,8]",
        "%2 = convert(%1) : i64[4,8]",
        "%3 = reshape(%2) : i64[32]",
    ],
    "matmul-by-leading": [
        "%1 = broadcast_in_dim(%0) {dimensions = (0, 2)} : f32[4,512,8]",
        "%2 = reshape(%0) : f32[32]",
        "%3 = broadcast_in_dim(%2) {dimensions = (1)} : f32[512,32]",
        "%4 = dot_general(%1, %3) {lhs_batch = (), rhs_batch = (), "
        "lhs_contract = (1), rhs_contract = (0)} : f32[4,8,32]",
    ],
    "matmul-behind-transpose": [
        "%1 = broadcast_in_dim(%0) {dimensions = (0, 2)} : f32[4,512,8]",
        "%2 = transpose(%1) {permutation = (2, 0, 1)} : f32[8,4,512]",
        "%3 = reshape(%0) : f32[32]",
        "%4 = broadcast_in_dim(%3) {dimensions = (1)} : f32[512,32]",
        "%5 = dot_general(%2, %4) {lhs_batch = (), rhs_batch = (), "
        "lhs_contract = (2), rhs_contract = (0)} : f32[8,4,32]",
    ],
    "transpose-of-matmuls": [
        "%1 = reshape(%0) : f32[2,2,8]",
        "%2 = reshape(%0) : f32[2,8,2]",
        "%3 = dot_general(%1, %2) {lhs_batch = (0), rhs_batch = (0), "
        "lhs_contract = (2), rhs_contract = (1)} : f32[2,2,2]",
        "%4 = transpose(%3) {permutation = (0, 2, 1)} : f32[2,2,2]",
    ],
    "matmul-of-vectors": [
        "%1 = reshape(%0) : f32[2,4,4]",
        "%2 = reshape(%0) : f32[8,4]",
        "%3 = slice(%2) {start = (0, 0), limit = (4, 4), strides = (1, 1)} : f32[4,4]",
        "%4 = dot_general(%3, %1) {lhs_batch = (0), rhs_batch = (2), "
        "lhs_contract = (1), rhs_contract = (1)} : f32[4,2]",
    ],
    "matmul-order": [
        "%1 = reshape(%0) : f32[2,2,8]",
        "%2 = dot_general(%1, %1) {lhs_batch = (1), rhs_batch = (1), "
        "lhs_contract = (2), rhs_contract = (2)} : f32[2,2,2]",
    ],
}


def graph(lines):
    returned = lines[-1].split(" ")[0]
    return verify(parse("\n".join(["graph f(%0: f32[4,8]) {", *lines, f"return {returned}", "}"])))


def test_every_rule_has_an_example():
    assert set(EXAMPLES) == set(RULES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_fires_and_keeps_the_meaning(name):
    before = graph(EXAMPLES[name])
    after, rewrites = rewrite(before, [RULES[name]])
    assert [r.rule for r in rewrites] == [name]
    verify(after, name)
    x = np.linspace(0.1, 3, 32, dtype=np.float32).reshape(4, 8)
    signed = name not in ("power-half", "power-minus-half", "reciprocal-root")
    x = x * (-1) ** np.arange(8, dtype=np.float32) if signed else x
    for a, b in zip(evaluate(after, [x]), evaluate(before, [x]), strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-7)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_rule_keeps_nan_infinities_and_the_signs_of_zeros(name):
    before = graph(EXAMPLES[name])
    after, _ = rewrite(before, [RULES[name]])
    x = np.resize(np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1], np.float32), (4, 8))
    for a, b in zip(evaluate(after, [x]), evaluate(before, [x]), strict=True):
        np.testing.assert_array_equal(a, b)
        number = ~np.isnan(a)
        np.testing.assert_array_equal(np.signbit(a[number]), np.signbit(b[number]))


MIXED = [
    "%1 = reshape(%0) : f32[2,2,2,4]",
    "%2 = transpose(%1) {permutation = (0, 2, 1, 3)} : f32[2,2,2,4]",
    "%3 = reshape(%2) : f32[4,8]",
]


# Two dimensions become one; a number for each of the four columns, or of the merged rows.
SHUFFLED = [
    "%1 = reshape(%0) : f32[2,2,2,4]",
    "%2 = transpose(%1) {permutation = (0, 2, 1, 3)} : f32[2,2,2,4]",
    "%3 = reshape(%2) : f32[2,4,4]",
    "%4 = slice(%0) {start = (0, 0), limit = (1, 4), strides = (1, 1)} : f32[1,4]",
    "%5 = reshape(%4) : f32[4]",
]


@pytest.mark.parametrize(("along", "launches"), [(2, 1), (1, 2)])
def test_a_bias_of_what_is_not_merged_is_added_by_the_kernel_that_copies(along, launches):
    spread = f"%6 = broadcast_in_dim(%5) {{dimensions = ({along})}} : f32[2,4,4]"
    before = graph([*SHUFFLED, spread, "%7 = add(%3, %6) : f32[2,4,4]",
                    "%8 = tanh(%7) : f32[2,4,4]"])  # fmt: skip
    after = verify(rewrite(before, views.RULES)[0])
    assert len(plan_of(after).launches) == launches
    x = np.linspace(-2, 3, 32, dtype=np.float32).reshape(4, 8)
    (found,), (expected,) = evaluate(after, [x]), evaluate(before, [x])
    np.testing.assert_array_equal(found, expected)


def test_patches_of_an_image_are_scaled_by_the_kernel_that_copies_them():
    lines = [*MIXED, "%4 = tanh(%3) : f32[4,8]", "%5 = negate(%4) : f32[4,8]"]
    before = graph([*lines, "%6 = add(%4, %5) : f32[4,8]"])
    after, _ = rewrite(before, views.RULES)
    assert after.outputs[0].op == "reshape"
    assert [len(plan_of(x).launches) for x in (before, after)] == [2, 1]


@pytest.mark.parametrize(
    "lines",
    [
        [*MIXED, "%4 = add(%3, %0) : f32[4,8]"],
        [MIXED[0], "%2 = transpose(%1) {permutation = (1, 0, 2, 3)} : f32[2,2,2,4]",
         "%3 = reshape(%2) : f32[2,2,8]", "%4 = tanh(%3) : f32[2,2,8]"],
        ["%1 = reshape(%0) : f32[32]", "%2 = tanh(%1) : f32[32]"],
    ],
    ids=["beside what is no such view", "where a loop reads in place", "merged alone"],
)  # fmt: skip
def test_what_is_behind_a_view_stays_there(lines):
    assert rewrite(graph(lines), [RULES["elementwise-behind-merged"]])[1] == []


@pytest.mark.parametrize(
    ("left", "right", "attributes", "result"),
    [
        ("16,64,64", "8,64", "lhs_batch = (), rhs_batch = ()", "16,64,8"),
        ("8,64", "16,64,8", "lhs_batch = (0), rhs_batch = (2)", "8,16"),
    ],
    ids=["contracted in the middle", "vectors by matrices that are not in order"],
)
def test_no_operand_of_three_dimensions_is_copied_for_a_product(left, right, attributes, result):
    inputs = f"%0: f32[{left}], %1: f32[{right}]"
    dot = f"dot_general(%0, %1) {{{attributes}, lhs_contract = (1), rhs_contract = (1)}}"
    before = parse(f"graph f({inputs}) {{\n  %2 = {dot} : f32[{result}]\n  return %2\n}}")
    after, _ = dots.order_matmuls(before)
    assert not any(x.step.ops == (COPY,) for x in plan_of(after).launches)


@pytest.mark.parametrize(
    ("left", "right", "contracted", "result", "summed"),
    [
        ("4,8", "8", (1, 0), "4", True),
        ("8", "8", (0, 0), "", True),
        ("1,8", "8,4", (1, 0), "1,4", True),
        ("8,4", "8,1", (0, 0), "4,1", True),
        ("2,8", "8,4", (1, 0), "2,4", False),
        ("300,300", "300", (1, 0), "300", False),
    ],
)
def test_a_small_matrix_by_a_vector_is_a_sum(left, right, contracted, result, summed):
    inputs = f"%0: f32[{left}], %1: f32[{right}]"
    attributes = "lhs_batch = (), rhs_batch = (), " + ", ".join(
        f"{side}_contract = ({at})" for side, at in zip(("lhs", "rhs"), contracted, strict=True)
    )
    dot = f"dot_general(%0, %1) {{{attributes}}} : f32[{result}]"
    before = verify(parse(f"graph f({inputs}) {{\n  %2 = {dot}\n  return %2\n}}"))
    after = verify(dots.order_matmuls(before)[0])
    assert ("dot_general" not in {o.op for o in after.operations}) == summed
    random = np.random.RandomState(0)
    given = [random.randn(*x.type.shape).astype(np.float32) for x in before.inputs]
    (x,), (y,) = evaluate(after, given), evaluate(before, given)
    np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
def test_a_matrix_of_16_bits_by_a_vector_is_a_sum_in_f32_of_whatever_size(dtype):
    attributes = "lhs_batch = (), rhs_batch = (), lhs_contract = (1), rhs_contract = (1)"
    lines = [f"%2 = dot_general(%0, %1) {{{attributes}}} : {dtype}[1,300]", "return %2"]
    head = f"graph f(%0: {dtype}[1,400], %1: {dtype}[300,400])"
    before = verify(parse(f"{head} {{\n  {lines[0]}\n  {lines[1]}\n}}"))
    after = verify(dots.order_matmuls(before)[0])
    (total,) = (o for o in after.operations if o.op == "reduce")
    assert total.result.type.dtype is F32 and "dot_general" not in {o.op for o in after.operations}
    random = np.random.RandomState(0)
    given = [random.randn(*x.type.shape).astype(NUMPY[x.type.dtype.name]) for x in before.inputs]
    (x,), (y,) = (evaluate(g, given) for g in (after, before))
    tolerance = 2.0**-7 if dtype == "bf16" else 2.0**-10
    np.testing.assert_allclose(x.astype("f4"), y.astype("f4"), rtol=tolerance, atol=tolerance)


# Contractions of an image's channels, its rows and its columns, with the result in several orders.
CHANNELS = """graph f(%0: f32[24,64], %1: f32[2,64,12,16]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (1), rhs_contract = (1)} : f32[24,2,12,16]
  %3 = transpose(%2) {permutation = (1, 0, 2, 3)} : f32[2,24,12,16]
  return %3
}"""
RESIZED = """graph f(%0: f32[64,128], %1: f32[4,64,64,16]) {
  %2 = dot_general(%0, %1) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (0), rhs_contract = (1)} : f32[128,4,64,16]
  %3 = dot_general(%2, %0) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (2), rhs_contract = (0)} : f32[128,4,16,128]
  %4 = transpose(%3) {permutation = (1, 0, 3, 2)} : f32[4,128,128,16]
  return %4
}"""
TURNED = """graph f(%0: f32[64,128], %1: f32[4,64,64,16]) {
  %2 = transpose(%1) {permutation = (3, 0, 2, 1)} : f32[16,4,64,64]
  %3 = dot_general(%0, %2) {lhs_batch = (), rhs_batch = (),
      lhs_contract = (0), rhs_contract = (3)} : f32[128,16,4,64]
  %4 = tanh(%3) : f32[128,16,4,64]
  return %4
}"""


@pytest.mark.parametrize(
    ("text", "copies"),
    [(CHANNELS, 0), (RESIZED, 0), (TURNED, 1)],
    ids=["channels", "resized", "turned"],
)
def test_what_is_contracted_in_its_middle_is_read_in_place(text, copies):
    before = verify(parse(text))
    after = verify(dots.order_matmuls(before)[0])
    assert to_text(after).count("transpose(") == copies
    rng = np.random.default_rng(0)
    given = [rng.standard_normal(x.type.shape, np.float32) for x in before.inputs]
    (found,), (expected,) = evaluate(after, given), evaluate(before, given)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_product_of_a_batch_that_others_read_is_not_computed_twice():
    lines = EXAMPLES["transpose-of-matmuls"]
    both = graph([*lines, "%5 = add(%3, %4) : f32[2,2,2]"])
    assert dots.order_matmuls(both)[0] is both
    assert dots.order_matmuls(graph(lines))[1]


@pytest.mark.parametrize("operands", ["%0, %1", "%1, %0"])
@pytest.mark.parametrize("op", ["add", "subtract"])
def test_an_addition_that_changes_the_sign_of_a_zero_stays(op, operands):
    zero = -0.0 if (op, operands) == ("subtract", "%0, %1") else 0.0
    before = graph([C.format(zero), f"%2 = {op}({operands}) : f32[4,8]"])
    assert rewrite(before, algebra.RULES)[0] is before


def test_numbers_are_compared_as_their_type_has_them():
    lines = [C.format(0.1), "%2 = constant() {value = 0.1000000001} : f32[4,8]"]
    before = graph([*lines, "%3 = compare(%1, %2) {direction = EQ} : bool[4,8]"])
    after, _ = rewrite(before, constant_folding.RULES)
    assert [x["value"] for x in after.outputs] == [True]


@pytest.mark.parametrize(
    "lines",
    [
        ["%1 = constant() {value = 0.1} : f32[2]", "%2 = convert(%1) : f64[2]"],
        ["%1 = constant() {value = 0.1} : bf16[2]", "%2 = convert(%1) : f32[2]"],
        ["%1 = constant() {value = 16777217.0} : f32[2]", "%2 = convert(%1) : i32[2]"],
        ["%1 = constant() {value = 1e300} : f32[2]", "%2 = divide(%1, %1) : f32[2]"],
        ["%1 = constant() {value = 0.1} : f32[2]", "%2 = constant() {value = 0.7} : f32[2]",
         "%3 = multiply(%1, %2) : f32[2]", "%4 = convert(%3) : f64[2]"],
    ],
)  # fmt: skip
def test_numbers_are_folded_as_their_type_has_them(lines):
    before = graph(lines)
    after, _ = rewrite(before, constant_folding.RULES)
    assert [x.op for x in after.outputs] == ["constant"]
    x = np.zeros((4, 8), np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(evaluate(after, [x]), evaluate(before, [x]))


def test_a_folded_number_is_the_shortest_one_of_its_type():
    lines = [C.format(0.1), "%2 = constant() {value = 3.0} : f32[4,8]"]
    after, _ = rewrite(graph([*lines, "%3 = multiply(%1, %2) : f32[4,8]"]), constant_folding.RULES)
    assert [x["value"] for x in after.outputs] == [0.3]


@pytest.mark.parametrize(("dtype", "exact"), [("bf16", 0.69921875), ("f16", 0.7001953125)])
def test_a_number_that_is_folded_to_sixteen_bits_is_the_one_that_they_have(dtype, exact):
    """Kernels compute with it in f32."""
    before = graph([C.format(0.7), f"%2 = convert(%1) : {dtype}[4,8]"])
    after, _ = rewrite(before, constant_folding.RULES)
    assert [x["value"] for x in after.outputs] == [exact]


def test_a_division_whose_reciprocal_the_type_has_not_stays():
    lines = ["%1 = convert(%0) : f16[4,8]", f"%2 = constant() {{value = {2.0**-20}}} : f16[4,8]"]
    before = graph([*lines, "%3 = divide(%1, %2) : f16[4,8]"])
    assert rewrite(before, algebra.RULES)[0] is before


def test_rules_that_do_not_match_leave_the_graph_itself():
    before = graph(["%1 = tanh(%0) : f32[4,8]"])
    assert rewrite(before, tuple(RULES.values()))[0] is before


def test_common_subexpressions_are_computed_once_and_come_from_both():
    before = graph(
        [
            "%1 = tanh(%0) : f32[4,8]",
            "%2 = tanh(%0) : f32[4,8]",
            "%3 = add(%1, %2) : f32[4,8]",
        ]
    )
    after, rewrites = cse.merge_common(before)
    assert to_text(after).count("tanh") == 1 and len(rewrites) == 1


def test_constants_that_only_look_alike_stay_apart():
    lines = [C.format(0.0), "%2 = constant() {value = -0.0} : f32[4,8]"]
    before = graph([*lines, "%3 = divide(%1, %2) : f32[4,8]"])
    assert cse.merge_common(before)[0] is before


def test_a_rewritten_node_keeps_its_origins():
    before = graph(with_constant(2.0, "power"))
    node = before.outputs[0]
    object.__setattr__(node.operation, "origins", (7,))
    after, _ = rewrite(before, [RULES["power-two"]])
    assert after.outputs[0].origins == (7,)


def test_a_product_that_others_read_is_not_computed_twice():
    lines = EXAMPLES["transpose-of-matmul"]
    both = graph([*lines, "%4 = add(%2, %3) : f32[4,4]"])
    assert dots.order_matmuls(both)[0] is both
    assert dots.order_matmuls(graph(lines))[1]
