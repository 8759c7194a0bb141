"""Element types in C: in memory, in a register, as literals, and conversions.

f16 and bf16 are integers in memory and f32 in a register; every other type is the same in both. A
bool is one byte in memory.
"""

import math

import numpy as np

from compiler_core.ir.monoids import Scalar
from compiler_core.ir.types import BF16, BOOL, F16, F32, F64, DType
from compiler_core.schedule.cpu.schedule import register

_MEMORY = {
    "f64": "double",
    "f32": "float",
    "f16": "f16",
    "bf16": "bf16",
    "i64": "long",
    "i32": "int",
    "i16": "short",
    "i8": "signed char",
    "u64": "unsigned long",
    "u32": "unsigned",
    "u16": "unsigned short",
    "u8": "unsigned char",
    "bool": "unsigned char",
}


def memory_type(dtype: DType) -> str:
    """The C type of an element in memory: bf16 and f16 are their bits."""
    return _MEMORY[dtype.name]


def register_type(dtype: DType) -> str:
    """The C type in which an element is computed: half precision in f32."""
    return "_Bool" if dtype is BOOL else _MEMORY[register(dtype).name]


def unsigned_type(dtype: DType) -> str:
    """The unsigned integer type of `dtype`'s width, whose arithmetic wraps around."""
    return _MEMORY[f"u{dtype.bits}"]


def signed_type(dtype: DType) -> str:
    """The signed C integer of the width of `dtype`."""
    return _MEMORY[f"i{dtype.bits}"]


def loaded(dtype: DType, text: str) -> str:
    """The register value of the memory element `text`."""
    if dtype in (F16, BF16):
        return f"{dtype}_to_f32({text})"
    return f"{text} != 0" if dtype is BOOL else text


def stored(dtype: DType, text: str) -> str:
    """The memory element of the register value `text`."""
    return f"f32_to_{dtype}({text})" if dtype in (F16, BF16) else text


def literal(value: Scalar, dtype: DType) -> str:
    """A literal of `dtype`'s register type; negative ones are in parentheses."""
    dtype = register(dtype)
    if dtype is BOOL:
        return "1" if value else "0"
    text = _float(float(value), dtype) if dtype.is_float else _integer(int(value), dtype)
    return f"({text})" if text.startswith("-") else text


def _float(value: float, dtype: DType) -> str:
    suffix = "f" if dtype is F32 else ""
    if math.isnan(value):
        return f'__builtin_nan{suffix}("")'
    with np.errstate(over="ignore"):
        rounded = np.float32(value) if dtype is F32 else np.float64(value)
    if np.isinf(rounded):
        return f"{'-' if value < 0 else ''}__builtin_inf{suffix}()"
    return f"{rounded!s}{suffix}"


def _integer(value: int, dtype: DType) -> str:
    suffix = ("U" if dtype.kind == "uint" else "") + ("L" if dtype.bits == 64 else "")
    if value == -(2 ** (dtype.bits - 1)) and dtype.bits >= 32:
        return f"({value + 1}{suffix} - 1)"
    return f"{value}{suffix}"


def convert(text: str, source: DType, target: DType) -> str:
    """The register value `text` of type `source`, converted to `target` and rounded to its
    precision.

    A float that is out of an integer's range gives what the framework's own cast gives on this
    machine: narrow integers keep the low bits of the 32-bit result.
    """
    computed, wanted = register(source), register(target)
    if source is target:
        return text
    if target is BOOL:
        return f"{text} != 0"
    if target in (F16, BF16):
        exact = source in (BOOL,) or (source.is_integer and source.bits == 8)
        value = text if computed is F32 else f"(float){text}"
        return value if exact else _rounded(value, target)
    if computed.is_float and wanted.is_integer and wanted.bits < 32:
        return f"({register_type(target)})(int){text}"
    if computed.is_float and wanted.name == "u32":
        return f"(unsigned)(long){text}"
    return text if computed is wanted else f"({register_type(target)}){text}"


def _rounded(value: str, dtype: DType) -> str:
    """A value of f32 with the precision of a 16-bit float."""
    return (
        f"rounded_to_bf16({value})" if dtype is BF16 else f"{dtype}_to_f32(f32_to_{dtype}({value}))"
    )


def lanes(dtype: DType) -> str:
    """The C constant that is the number of a vector's elements in registers."""
    return "F64_LANES" if dtype is F64 else "F32_LANES"
