"""Elementwise operations in Triton.

f16 and bf16 values are f32 in registers (loads convert, stores round); every other type is itself.
`tl` functions are used where Triton has them, else those of the vendor's device library (libdevice
on NVIDIA, OCML on AMD; Triton has one name for both).
"""

import math

from compiler_core.codegen.elementwise import SHARED, Call, Rule, expression, extremum
from compiler_core.ir.types import BF16, BOOL, F16, F32, DType

TL_TYPES = {
    "f64": "tl.float64",
    "f32": "tl.float32",
    "f16": "tl.float16",
    "bf16": "tl.bfloat16",
    "i64": "tl.int64",
    "i32": "tl.int32",
    "i16": "tl.int16",
    "i8": "tl.int8",
    "u64": "tl.uint64",
    "u32": "tl.uint32",
    "u16": "tl.uint16",
    "u8": "tl.uint8",
    "bool": "tl.int1",
}


def register(dtype: DType) -> DType:
    """The type of `dtype`'s values in registers."""
    return F32 if dtype in (F16, BF16) else dtype


def tl_type(dtype: DType) -> str:
    """Triton's name of an element type, such as `tl.float32`."""
    return TL_TYPES[dtype.name]


def _sign(call: Call) -> str:
    (x,), dtype = call.args, call.dtype
    one = "1.0" if dtype.is_float else "1"
    below = f"tl.where({x} < 0, -{one}, {x})" if dtype.kind != "uint" else x
    return f"tl.where({x} > 0, {one}, {below})"


def _negate(call: Call) -> str:
    """Triton's -x is 0 - x, which of 0 is 0 and not -0."""
    (x,) = call.args
    return f"{x} * -1.0" if call.dtype.is_float else f"-{x}"


def _not(call: Call) -> str:
    return f"{call.args[0]} == 0" if call.dtype is BOOL else f"~{call.args[0]}"


def _of_numbers(call: Call) -> str:
    a, b = call.args
    nan = ", propagate_nan=tl.PropagateNan.ALL" if call.dtype.is_float else ""
    return f"tl.{call.op}({a}, {b}{nan})"


def _clamp(call: Call) -> str:
    low, x, high = call.args
    inner = Call("maximum", call.dtype, (x, low), call.arg_dtypes[:2])
    outer = Call("minimum", call.dtype, (text(inner), high), call.arg_dtypes[:2])
    return text(outer)


def _shift(operator: str, *, logical: bool) -> Rule:
    """Shifts by the type's width or more give 0, or copies of the sign bit for an arithmetic right
    shift. The amount counts as unsigned."""

    def text(call: Call) -> str:
        (x, amount), bits = call.args, call.dtype.bits
        own, signed, fixed = tl_type(call.dtype), call.dtype.kind == "int", _is_literal(amount)
        if fixed:
            known = int(amount) % 2**bits
            if known >= bits and logical:
                return f"{x} * 0"
            amount = str(min(known, bits - 1))
        if fixed and (not logical or not signed):
            return f"{x} {operator} {amount}"
        value = _as_unsigned(x, call.dtype)
        if fixed:
            return f"({value} {operator} {amount}).to({own}, bitcast=True)"
        count = _as_unsigned(amount, call.dtype)
        if not logical:
            return f"{x} {operator} tl.minimum({count}, {bits - 1}).to({own})"
        shifted = f"tl.where({count} < {bits}, {value} {operator} {count}, 0)"
        return f"{shifted}.to({own}, bitcast=True)"

    return text


def _is_literal(operand: str) -> bool:
    return operand.removeprefix("-").isdecimal()


def _as_unsigned(x: str, dtype: DType) -> str:
    """The bits of an integer."""
    if dtype.kind == "uint":
        return x
    return f"{_tensor(x, dtype)}.to(tl.uint{dtype.bits}, bitcast=True)"


def _tensor(x: str, dtype: DType) -> str:
    """An operand of a helper, which asks it for its type: a literal would be an i32."""
    return f"tl.full((), {x}, {tl_type(dtype)})" if _is_literal(x) else x


def _divide(call: Call) -> str:
    # Triton's / of integers is a float; its // truncates, as StableHLO's division does.
    if call.dtype.is_float:
        return f"{call.args[0]} / {call.args[1]}"
    return _integers(call, "//", "integer_quotient")


def _remainder(call: Call) -> str:
    a, b = call.args
    return (
        f"libdevice.fmod({a}, {b})" if call.dtype.is_float else _integers(call, "%", "integer_rest")
    )


def _integers(call: Call, operator: str, helper: str) -> str:
    """By the operator where the divisor is a number for which a processor has a result."""
    a, b = call.args
    if _is_literal(b) and int(b) not in (0, -1):
        return f"{a} {operator} {b}"
    a, b = (_tensor(x, call.dtype) for x in (a, b))
    return f"{helper}({a}, {b}, {call.dtype.kind == 'int'})"


def _power(call: Call) -> str:
    a, b = call.args
    if call.dtype.is_float:
        return f"libdevice.pow({a}, {b})"
    a, b = (_tensor(x, call.dtype) for x in (a, b))
    return f"integer_power({a}, {b}, {call.dtype.bits}, {call.dtype.kind == 'int'})"


def _whole(text: str) -> Rule:
    """Rounding: nothing to do for an integer."""
    return lambda call: text.format(*call.args) if call.dtype.is_float else call.args[0]


def _abs(call: Call) -> str:
    return call.args[0] if call.dtype.kind in ("uint", "bool") else f"tl.abs({call.args[0]})"


def convert(x: str, source: DType, target: DType) -> str:
    """`x` of type `source` as a register value of `target`, rounded to `target`'s precision."""
    if target is BOOL:
        return x if source is BOOL else f"{x} != 0"
    computed, wanted = register(source), register(target)
    if wanted is not target and source is not target:
        return f"{x}.to({tl_type(target)}).to({tl_type(wanted)})"
    return x if computed is wanted else f"{x}.to({tl_type(wanted)})"


def _convert(call: Call) -> str:
    return convert(call.args[0], call.arg_dtypes[0], call.dtype)


def _bitcast_convert(call: Call) -> str:
    """A 16-bit float is an f32 in a register."""
    (x,), (source,), target = call.args, call.arg_dtypes, call.dtype
    x = x if register(source) is source else f"{x}.to({tl_type(source)})"
    cast = f"{x}.to({tl_type(target)}, bitcast=True)"
    return cast if register(target) is target else f"{cast}.to({tl_type(register(target))})"


RULES: dict[str, Rule] = SHARED | {
    # -- unary
    "abs": _abs,
    "negate": _negate,
    "not": _not,
    "sign": _sign,
    "floor": _whole("tl.floor({0})"),
    "ceil": _whole("tl.ceil({0})"),
    "is_finite": 'tl.abs({0}) < float("inf")',
    "convert": _convert,
    "bitcast_convert": _bitcast_convert,
    "round_nearest_even": _whole("libdevice.rint({0})"),
    "round_nearest_afz": _whole("libdevice.round({0})"),
    "sqrt": "tl.sqrt({0})",
    "rsqrt": "tl.rsqrt({0})",
    "cbrt": "cube_root({0})",
    "exponential": "tl.exp({0})",
    "exponential_minus_one": "libdevice.expm1({0})",
    "log": "tl.log({0})",
    "log_plus_one": "libdevice.log1p({0})",
    "logistic": "tl.sigmoid({0})",
    "tanh": "libdevice.tanh({0})",
    "sine": "tl.sin({0})",
    "cosine": "tl.cos({0})",
    "tan": "libdevice.tan({0})",
    "erf": "tl.erf({0})",
    "erfc": "libdevice.erfc({0})",
    "erf_inv": "libdevice.erfinv({0})",
    # -- binary and ternary
    "add": "{0} + {1}",
    "subtract": "{0} - {1}",
    "multiply": "{0} * {1}",
    "maximum": extremum("maximum", _of_numbers),
    "minimum": extremum("minimum", _of_numbers),
    "shift_left": _shift("<<", logical=True),
    "shift_right_arithmetic": _shift(">>", logical=False),
    "shift_right_logical": _shift(">>", logical=True),
    "divide": _divide,
    "remainder": _remainder,
    "power": _power,
    "atan2": "libdevice.atan2({0}, {1})",
    "select": "tl.where({0}, {1}, {2})",
    "clamp": _clamp,
}


def text(call: Call) -> str:
    """The expression of one operation. Raises Unsupported for one without a row."""
    return expression(RULES, call, "Triton")


def literal(value: float | int | bool) -> str:
    """A Python literal that Triton reads as `value`."""
    if isinstance(value, float) and math.isnan(value):
        return 'float("nan")'
    if isinstance(value, float) and math.isinf(value):
        return 'float("inf")' if value > 0 else '-float("inf")'
    return repr(value)
