"""Units in the last place."""

import torch


def moved(x: torch.Tensor, generator: torch.Generator, unit: float = 0.0) -> torch.Tensor:
    """Each element as it is, or about a unit in the last place more or less: of its own type, or
    `unit` relative to the element where that is more."""
    steps = torch.randint(-1, 2, x.shape, generator=generator).to(x)
    return x * (1 + steps * max(unit, torch.finfo(x.dtype).eps))
