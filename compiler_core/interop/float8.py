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
# By numpy's names, which are JAX's too.
FLOAT8_BY_NAME = {str(dtype).removeprefix("torch."): dtype for dtype in FLOAT8}
