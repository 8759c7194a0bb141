"""The element types as torch's."""

import torch

from compiler_core.interop.names import NAMES

TORCH: dict[str, torch.dtype] = {ours: getattr(torch, theirs) for ours, theirs in NAMES.items()}
