"""What the families of steps share: the types that operations are for."""

from collections.abc import Callable

from compiler_core.ir.types import BF16, BOOL, DTYPES, F16, F32, F64, I32, I64, U8, DType
from conformance.graphs.growing import Growing, Known

# Adds an operation over values that it finds or makes; its result. Raises Unfit.
Step = Callable[[Growing], Known]

INTEGERS = tuple(d for d in DTYPES.values() if d.is_integer)
FLOATS = (F32, F64, F16, BF16)
# Those that inputs are made of, the usual ones the most often.
NUMBERS = (F32, F32, F32, I32, I64, BF16, F64, F16, U8, *INTEGERS)

_FLOATING = frozenset(
    {"sqrt", "rsqrt", "cbrt", "exponential", "exponential_minus_one", "log", "log_plus_one",
     "logistic", "tanh", "sine", "cosine", "tan", "erf", "erfc", "erf_inv", "atan2", "is_finite"}
)  # fmt: skip
_BITS = frozenset({"not", "and", "or", "xor"})
_SHIFTS = frozenset({"shift_left", "shift_right_arithmetic", "shift_right_logical"})
_ANY = frozenset({"add", "multiply", "maximum", "minimum", "compare", "select", "convert"})


def dtypes_of(op: str) -> tuple[DType, ...]:
    """The types that an elementwise operation is for."""
    if op in _FLOATING:
        return FLOATS
    if op in _BITS:
        return (*INTEGERS, BOOL)
    if op in _SHIFTS:
        # What an arithmetic shift of an unsigned integer is, StableHLO leaves open.
        return tuple(d for d in INTEGERS if op != "shift_right_arithmetic" or d.kind == "int")
    return (*FLOATS, *INTEGERS, BOOL) if op in _ANY else (*FLOATS, *INTEGERS)
