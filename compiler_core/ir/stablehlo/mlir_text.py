"""Types and literals as MLIR writes them."""

import math
import struct

from compiler_core.interop.mlir_dtypes import MLIR
from compiler_core.ir.types import BOOL, DType, TensorType


def type_text(type_: TensorType) -> str:
    """A tensor type in MLIR: tensor<4x8xf32>."""
    return f"tensor<{''.join(f'{s}x' for s in type_.shape)}{MLIR[type_.dtype.name]}>"


def literal(value: float | int | bool, dtype: DType) -> str:
    """An element in MLIR; what is not a decimal number is written by its bits."""
    if dtype is BOOL:
        return "true" if value else "false"
    if not dtype.is_float:
        return str(int(value))
    if math.isfinite(value):
        text = repr(float(value))
        return text if "." in text else text.replace("e", ".0e")
    return f"0x{_bits(float(value), dtype):0{dtype.bits // 4}X}"


def _bits(value: float, dtype: DType) -> int:
    if dtype.name == "bf16":
        return int(struct.unpack("<I", struct.pack("<f", value))[0]) >> 16
    code, integer = {64: ("d", "Q"), 32: ("f", "I"), 16: ("e", "H")}[dtype.bits]
    return int(struct.unpack(f"<{integer}", struct.pack(f"<{code}", value))[0])


def dense(value: float | int | bool, type_: TensorType) -> str:
    """A constant of one repeated value as an MLIR attribute: `dense<0.0> : tensor<4xf32>`."""
    return f"dense<{literal(value, type_.dtype)}> : {type_text(type_)}"
