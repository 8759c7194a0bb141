"""The compiler core: a pure library that captures, fuses and compiles PyTorch and JAX programs."""

import importlib
import os
import sys
from typing import Any

# OpenMP's threads wait for their next work in a busy loop, 14 ms long by default, on processors
# that others need: whoever is measured after torch would share them with it. 0.1 ms is enough to
# wait from one operation to the next. libgomp reads this once, when torch loads it.
SPIN_IN_TIME = "torch" not in sys.modules
os.environ.setdefault("GOMP_SPINCOUNT", "2000")

# Whether there is a GPU is asked of its management library: CUDA, once begun, is lost to processes
# that are forked afterwards. torch reads this whenever it is asked.
os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")


def __getattr__(name: str) -> Any:
    """`compiler_core.explore`, with the frameworks that it imports only when it is asked for: the
    web process knows this package without them."""
    if name == "explore":
        return importlib.import_module("compiler_core.api.explore").explore
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
