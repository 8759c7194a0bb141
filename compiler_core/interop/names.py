"""The one table of element types: the core's name of each, and the one that numpy, torch and JAX
share. The modules beside this one turn names into dtypes; each imports its own framework only."""

from typing import Any

NAMES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16",
    "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
    "u64": "uint64", "u32": "uint32", "u16": "uint16", "u8": "uint8", "bool": "bool",
}  # fmt: skip
_OURS = {theirs: ours for ours, theirs in NAMES.items()}


def framework_name(dtype: Any) -> str:
    """What a framework calls its dtype: "float32", also of torch.float32 and numpy's."""
    return str(dtype).removeprefix("torch.")


def name_of(dtype: Any) -> str | None:
    """The core's name of a numpy, torch or JAX dtype; None where the core has no such type."""
    return _OURS.get(framework_name(dtype))
