"""Units in the last place."""

import torch


def rounds(x: torch.Tensor) -> bool:
    """Whether a tensor's elements are rounded."""
    return x.is_floating_point() or x.is_complex()


def moved(x: torch.Tensor, generator: torch.Generator, unit: float = 0.0) -> torch.Tensor:
    """Each element at random as it is, or about a unit in its last place more or less; `unit` is
    the least such unit, relative to the element. Of complex numbers each part is moved by its own.
    """
    if x.is_complex():
        return torch.complex(moved(x.real, generator, unit), moved(x.imag, generator, unit))
    steps = torch.randint(-1, 2, x.shape, generator=generator).to(x)
    return x * (1 + steps * max(unit, torch.finfo(x.dtype).eps))
