"""The names of element types in MLIR: the core's, with a few exceptions."""

from compiler_core.interop.names import NAMES

_WRITTEN = {"bool": "i1", "u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64"}

# The core's name -> MLIR's.
MLIR = {ours: _WRITTEN.get(ours, ours) for ours in NAMES}

# MLIR's name -> the one that numpy and JAX share, of the core's types and of some that it lacks.
FRAMEWORK = {MLIR[ours]: theirs for ours, theirs in NAMES.items()} | {
    "f8E4M3FN": "float8_e4m3fn",
    "f8E5M2": "float8_e5m2",
    "complex<f32>": "complex64",
    "complex<f64>": "complex128",
}
