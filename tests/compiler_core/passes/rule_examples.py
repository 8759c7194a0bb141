"""Every rule by its name, with an example: a graph that it rewrites."""

from compiler_core.ir.parse import parse
from compiler_core.ir.verify import verify
from compiler_core.passes import algebra, constant_folding, dots, known_ranges, views

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
    "matmul-order": [
        "%1 = reshape(%0) : f32[2,2,8]",
        "%2 = dot_general(%1, %1) {lhs_batch = (1), rhs_batch = (1), "
        "lhs_contract = (2), rhs_contract = (2)} : f32[2,2,2]",
    ],
}


def graph(lines):
    returned = lines[-1].split(" ")[0]
    return verify(parse("\n".join(["graph f(%0: f32[4,8]) {", *lines, f"return {returned}", "}"])))
