"""torch tensors and JAX arrays on the CPU share memory, without copies where alignment allows."""

from typing import Any

import torch


def to_jax(x: torch.Tensor) -> Any:
    """`x` as a jax.Array. JAX takes memory in place whose address is a multiple of 64, and
    copies other memory."""
    import jax

    dense = x.detach().contiguous()
    return jax.dlpack.from_dlpack(dense)


def to_torch(x: Any) -> torch.Tensor:
    """A jax.Array as a tensor over the same memory, once its value is there."""
    x = x.block_until_ready()
    return torch.from_dlpack(x)
