"""What each elementwise operation is in C.

Functions that C has no operator for are called by a name that says the type (`exp_f32`), and
mathematics.py has their texts. Integer arithmetic is done unsigned, where overflow wraps.
"""

from collections.abc import Callable
from math import inf

from compiler_core.codegen.c.mathematics import function_name
from compiler_core.codegen.c.types import (
    convert,
    literal,
    loaded,
    memory_type,
    register_type,
    signed_type,
    stored,
    unsigned_type,
)
from compiler_core.codegen.elementwise import SHARED, Call, Rule, expression, extremum
from compiler_core.ir.types import BOOL, F32, F64
from compiler_core.schedule.cpu.schedule import register

Function = Callable[[Call], str]


def text(call: Call) -> str:
    """The C expression of one operation. Raises Unsupported for one without a row."""
    return expression(RULES, call, "C")


def _function(name: str) -> Function:
    """A function of mathematics.py, one for each float type."""
    return lambda call: f"{function_name(name, register(call.dtype))}({', '.join(call.args)})"


def _builtin(name: str) -> Function:
    """A function that gcc expands to an instruction."""

    def rule(call: Call) -> str:
        suffix = "f" if register(call.dtype) is F32 else ""
        return f"__builtin_{name}{suffix}({', '.join(call.args)})"

    return rule


def _whole(name: str) -> Rule:
    """Rounding: nothing to do for an integer."""
    rule = _builtin(name)
    return lambda call: rule(call) if call.dtype.is_float else call.args[0]


def _arithmetic(operator: str, of_bools: str) -> Rule:
    """Floats as they are; integers unsigned, cast back; bools as truth values."""

    def rule(call: Call) -> str:
        a, b = call.args
        if call.dtype is BOOL:
            return f"{a} {of_bools} {b}"
        if call.dtype.is_float or (call.dtype.kind == "uint" and call.dtype.bits >= 32):
            return f"{a} {operator} {b}"
        if call.dtype.bits < 32 and operator != "*":
            return f"({register_type(call.dtype)})({a} {operator} {b})"
        # A product of two short integers overflows int, so both are widened unsigned as well.
        unsigned = unsigned_type(call.dtype) if call.dtype.bits >= 32 else "unsigned"
        return f"({register_type(call.dtype)})(({unsigned}){a} {operator} ({unsigned}){b})"

    return rule


def _negate(call: Call) -> str:
    (x,) = call.args
    if call.dtype.is_float:
        return f"-{x}"
    return f"({register_type(call.dtype)})-({unsigned_type(call.dtype)}){x}"


def _not(call: Call) -> str:
    return f"!{call.args[0]}" if call.dtype is BOOL else f"~{call.args[0]}"


def _abs(call: Call) -> str:
    (x,) = call.args
    if call.dtype.is_float:
        return _builtin("fabs")(call)
    return f"{x} < 0 ? {_negate(call)} : {x}" if call.dtype.kind == "int" else x


def _sign(call: Call) -> str:
    (x,) = call.args
    zero, one = literal(0, call.dtype), literal(1, call.dtype)
    if call.dtype.kind in ("uint", "bool"):
        return f"{x} > {zero} ? {one} : {zero}"
    return f"{x} > {zero} ? {one} : {x} < {zero} ? {literal(-1, call.dtype)} : {x}"


def _is_finite(call: Call) -> str:
    if not call.arg_dtypes[0].is_float:
        return "1"
    suffix = "f" if register(call.arg_dtypes[0]) is F32 else ""
    return f"__builtin_fabs{suffix}({call.args[0]}) < __builtin_inf{suffix}()"


def _maximum(call: Call) -> str:
    a, b = call.args
    if call.dtype.is_float:
        return f"max_{register(call.dtype)}({a}, {b})"
    return f"{a} > {b} ? {a} : {b}"


def _minimum(call: Call) -> str:
    a, b = call.args
    if call.dtype.is_float:
        return f"min_{register(call.dtype)}({a}, {b})"
    return f"{a} < {b} ? {a} : {b}"


def _clamp(call: Call) -> str:
    low, x, high = call.args
    if call.dtype.is_float:
        computed = register(call.dtype)
        return f"min_{computed}(max_{computed}({x}, {low}), {high})"
    if not (low.isidentifier() or high.isidentifier()):
        return f"{x} < {low} ? {low} : {x} > {high} ? {high} : {x}"
    raised = f"({x} < {low} ? {low} : {x})"
    return f"{raised} > {high} ? {high} : {raised}"


def _divide(call: Call) -> str:
    a, b = call.args
    return f"{a} / {b}" if call.dtype.is_float else f"divide_{call.dtype}({a}, {b})"


def _shift(operator: str, *, logical: bool) -> Rule:
    """Shifts by the type's width or more give 0, or copies of the sign bit for an arithmetic right
    shift."""

    def rule(call: Call) -> str:
        (x, amount), bits = call.args, call.dtype.bits
        unsigned, own = unsigned_type(call.dtype), register_type(call.dtype)
        if logical and own == unsigned and _known(amount) < bits:
            return f"({own})({x} {operator} {amount})" if bits < 32 else f"{x} {operator} {amount}"
        count = f"({unsigned}){amount}"
        if not logical:
            x = f"({signed_type(call.dtype)}){x}" if call.dtype.kind == "uint" else x
            return f"({own})({x} {operator} ({count} < {bits} ? {amount} : {bits - 1}))"
        return f"({own})({count} < {bits} ? ({unsigned}){x} {operator} {amount} : 0)"

    return rule


def _known(amount: str) -> float:
    """The number that a literal is; without end where it is none."""
    digits = amount.rstrip("UL")
    return int(digits) if digits.isdecimal() else inf


def _convert(call: Call) -> str:
    (source,) = call.arg_dtypes
    if source is BOOL and call.dtype.is_float:
        # Of a char gcc makes vectors of 64, and leaves what is shorter to scalars.
        return f"{call.args[0]} ? {literal(1, call.dtype)} : {literal(0, call.dtype)}"
    return convert(call.args[0], call.arg_dtypes[0], call.dtype)


def _round_away(call: Call) -> str:
    return _function("round")(call) if call.dtype.is_float else call.args[0]


def _bitcast_convert(call: Call) -> str:
    """By way of memory types: a 16-bit float is an f32 in a register."""
    (source,), target = call.arg_dtypes, call.dtype
    bits = stored(source, call.args[0])
    if not source.is_float and not target.is_float:
        return f"({register_type(target)}){bits}"
    if F32 in (source, target) or F64 in (source, target):
        given, wanted = memory_type(source), memory_type(target)
        return f"((union {{ {given} from; {wanted} to; }}){{{bits}}}).to"
    return loaded(target, bits)


RULES: dict[str, Rule] = SHARED | {
    # -- unary
    "abs": _abs,
    "negate": _negate,
    "not": _not,
    "sign": _sign,
    "floor": _whole("floor"),
    "ceil": _whole("ceil"),
    "is_finite": _is_finite,
    "convert": _convert,
    "bitcast_convert": _bitcast_convert,
    "round_nearest_even": _whole("rint"),
    "round_nearest_afz": _round_away,
    "sqrt": _builtin("sqrt"),
    "rsqrt": lambda call: f"{literal(1, call.dtype)} / {_builtin('sqrt')(call)}",
    "cbrt": _function("cbrt"),
    "exponential": _function("exp"),
    "exponential_minus_one": _function("expm1"),
    "log": _function("log"),
    "log_plus_one": _function("log1p"),
    "logistic": _function("logistic"),
    "tanh": _function("tanh"),
    "sine": _function("sin"),
    "cosine": _function("cos"),
    "tan": _function("tan"),
    "erf": _function("erf"),
    "erfc": _function("erfc"),
    "erf_inv": _function("erf_inv"),
    # -- binary and ternary
    "add": _arithmetic("+", "|"),
    "subtract": _arithmetic("-", "^"),
    "multiply": _arithmetic("*", "&"),
    "maximum": extremum("maximum", _maximum),
    "minimum": extremum("minimum", _minimum),
    "shift_left": _shift("<<", logical=True),
    "shift_right_arithmetic": _shift(">>", logical=False),
    "shift_right_logical": _shift(">>", logical=True),
    "divide": _divide,
    "remainder": _function("remainder"),
    "power": _function("power"),
    "atan2": _function("atan2"),
    "select": "{0} ? {1} : {2}",
    "clamp": _clamp,
}
