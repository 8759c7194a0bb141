"""Units in the last place."""

import torch


def moved(x: torch.Tensor, generator: torch.Generator, unit: float = 0.0) -> torch.Tensor:
    """Each element at random as it is, or about a unit in its last place more or less; `unit` is
    the least such unit, relative to the element."""
    steps = torch.randint(-1, 2, x.shape, generator=generator).to(x)
    return x * (1 + steps * max(unit, torch.finfo(x.dtype).eps))
