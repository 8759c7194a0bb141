"""Floating-point numbers of 8 bits, for which the IR has no type: in a graph they are their bytes
(u8), as complex numbers are pairs."""

import torch

FLOAT8 = frozenset(
    {
        torch.float8_e4m3fn,
        torch.float8_e5m2,
        torch.float8_e4m3fnuz,
        torch.float8_e5m2fnuz,
    }
)
# As numpy calls them, and JAX with it.
FLOAT8_BY_NAME = {str(dtype).removeprefix("torch."): dtype for dtype in FLOAT8}
