"""The closed sets of words that a report uses."""

from typing import Literal

Framework = Literal["torch", "jax"]
Status = Literal["ok", "failed"]
StageStatus = Literal["ok", "failed", "skipped"]
Level = Literal["info", "warning", "error"]
Language = Literal[
    "fuselab", "python", "aten", "jaxpr", "stablehlo", "c", "mlir", "llvm", "ptx", "sass", "text"
]
# What runs a program. `eager` is always measured; the others on request.
Compiler = Literal["eager", "core", "inductor", "xla"]
