"""torch.compile's back ends from the simplest to the whole compiler, by torch's private names."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch

from compiler_core.reference.inductor.process import headers, private

Backend = Callable[..., Any]


@dataclass(frozen=True)
class Rung:
    """A back end, what it adds to the one before, and what to do if it is the first to fail."""

    name: str
    adds: str
    remedy: str


RUNGS = (
    Rung(
        "eager",
        "TorchDynamo finds the graphs, and torch runs them operation by operation",
        "see TorchDynamo's graph breaks, and what it raises",
    ),
    Rung(
        "aot_eager",
        "AOTAutograd makes them functional and adds the backward pass",
        'compile with backend="eager" meanwhile, and report it to PyTorch',
    ),
    Rung(
        "aot_eager_decomp_partition",
        "operations become simpler ones, and the joint graph is cut by the min-cut partitioner",
        'compile with backend="aot_eager" meanwhile, and report it to PyTorch',
    ),
    Rung(
        "inductor",
        "TorchInductor makes code of them",
        "compile with options={'emulate_precision_casts': True} to see whether it is rounding; "
        "else report it to PyTorch",
    ),
)


def backend(name: str, options: Mapping[str, Any]) -> Backend:
    """A rung's back end. TorchInductor gets the snippet's own mode and options."""
    if name != "inductor":
        from torch._dynamo.backends.registry import lookup_backend

        found: Backend = lookup_backend(name)
        return found
    inner = {k: v for k, v in (options.get("options") or {}).items() if k not in _NOT_ITS}
    mode = options.get("mode") if inner or options.get("mode") else "default"
    wrapped: Backend = torch._TorchCompileInductorWrapper(
        mode, inner or None, options.get("dynamic")
    )
    return wrapped


# Options that torch.compile itself takes out before it calls the back end.
_NOT_ITS = ("guard_filter_fn", "use_aoti")


@contextmanager
def settings() -> Iterator[None]:
    """Context for every rung: Inductor's caches are disabled, and it draws the same random numbers
    as the others."""
    from torch._inductor import config

    headers()
    with private(reset=False), config.patch(fallback_random=True):
        yield
