"""The enumerations of a report."""

from typing import Literal

Framework = Literal["torch", "jax"]
Status = Literal["ok", "failed"]
StageStatus = Literal["ok", "failed", "skipped"]
# A program's root graph, a piece between graph breaks, a graph of a training step, or a region.
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
