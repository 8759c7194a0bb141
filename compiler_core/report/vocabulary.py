"""The closed sets of words that a report uses."""

from typing import Literal

Framework = Literal["torch", "jax"]
Status = Literal["ok", "failed"]
StageStatus = Literal["ok", "failed", "skipped"]
# A program, or a part of it: between graph breaks, of a training step, or a region of an operation.
GraphRole = Literal["whole", "piece", "joint", "forward", "backward", "branch", "body"]
Level = Literal["info", "warning", "error"]
Language = Literal[
    "fuselab",
    "python",
    "aten",
    "jaxpr",
    "stablehlo",
    "c",
    "mlir",
    "llvm",
    "ptx",
    "sass",
    "text",
    # A file's bytes in base64, to be kept and not read; the artifact's name is the file's.
    "base64",
]
