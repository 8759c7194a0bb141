"""One result element from one element of each operand."""

from compiler_core.ir.ops.info import OpInfo, rows

COMPARE_DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")

ROWS = (
    # -- unary
    *rows("abs sign floor ceil is_finite round_nearest_even round_nearest_afz", 1, "loop"),
    *rows("negate not convert", 1, "loop", wraps=True),
    *rows("sqrt rsqrt cbrt", 1, "loop", cost=4),
    *rows("exponential exponential_minus_one log log_plus_one", 1, "loop", cost=8),
    *rows("logistic tanh sine cosine tan erf erfc erf_inv", 1, "loop", cost=8),
    # -- binary and ternary
    *rows("add multiply", 2, "loop", commutative=True, wraps=True),
    *rows("maximum minimum and or xor", 2, "loop", commutative=True),
    *rows("subtract shift_left", 2, "loop", wraps=True),
    *rows("shift_right_arithmetic shift_right_logical", 2, "loop"),
    *rows("divide remainder", 2, "loop", cost=4),
    *rows("power", 2, "loop", cost=16, wraps=True),
    *rows("atan2", 2, "loop", cost=16),
    OpInfo("compare", 2, "loop", 1, ("direction",)),
    OpInfo("select", 3, "loop"),
    OpInfo("clamp", 3, "loop"),
)
