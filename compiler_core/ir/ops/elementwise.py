"""Elementwise operations: each result element depends on the operands' elements at the same
index."""

from compiler_core.ir.ops.info import OpInfo, rows

COMPARE_DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")

ROWS = (
    # -- unary
    *rows("abs sign floor ceil", 1, "loop", nonlinear=True, any_width=True),
    *rows("round_nearest_even round_nearest_afz", 1, "loop", nonlinear=True, any_width=True),
    *rows("is_finite", 1, "loop", nonlinear=True),
    *rows("negate", 1, "loop", wraps=True, any_width=True),
    *rows("not", 1, "loop", wraps=True, nonlinear=True, any_width=True),
    *rows("convert", 1, "loop", wraps=True, telling=False, any_width=True),
    # The operand's bits as they are, in a type as wide.
    *rows("bitcast_convert", 1, "loop", wraps=True, telling=False, nonlinear=True),
    *rows("sqrt rsqrt cbrt", 1, "loop", cost=4, nonlinear=True),
    *rows("exponential exponential_minus_one log log_plus_one", 1, "loop", cost=8, nonlinear=True),
    *rows("logistic tanh sine cosine tan erf erfc erf_inv", 1, "loop", cost=8, nonlinear=True),
    # -- binary and ternary
    *rows("add multiply", 2, "loop", commutative=True, wraps=True, any_width=True),
    *rows("maximum minimum xor", 2, "loop", commutative=True, nonlinear=True, any_width=True),
    *rows("and or", 2, "loop", commutative=True, telling=False, nonlinear=True, any_width=True),
    *rows("subtract shift_left", 2, "loop", wraps=True, any_width=True),
    *rows("shift_right_arithmetic", 2, "loop", nonlinear=True, any_width=True),
    *rows("shift_right_logical", 2, "loop", nonlinear=True),
    *rows("divide", 2, "loop", cost=4, any_width=True),
    *rows("remainder", 2, "loop", cost=4, nonlinear=True, any_width=True),
    *rows("power", 2, "loop", cost=16, wraps=True, nonlinear=True, any_width=True),
    *rows("atan2", 2, "loop", cost=16, nonlinear=True),
    OpInfo("compare", 2, "loop", 1, ("direction",), telling=False, nonlinear=True, any_width=True),
    OpInfo("select", 3, "loop", telling=False, any_width=True),
    OpInfo("clamp", 3, "loop", nonlinear=True, any_width=True),
)
