"""Which library computes a matrix product: BLAS, called from C, or oneDNN through torch.

torch's CPU build brings both. On processors that its BLAS (MKL) has no kernels of its own for,
AMD's among them, oneDNN is 5 to 30 % faster once a product takes longer than the 20 us that
calling it through torch costs; on small ones, and on a transposed left operand, BLAS is faster.
`make bench` holds the choice against TorchInductor (BLAS) and XLA (Eigen).
"""

import torch

from compiler_core.codegen.c import matmul as c_matmul
from compiler_core.codegen.c import segments as c_program
from compiler_core.ir.types import F32
from compiler_core.plan.steps import Matmul, Step
from compiler_core.runtime import blas

# Arithmetic operations: a tenth of a millisecond on two cores.
_LARGE = 2**24


def in_c(step: Step) -> bool:
    """Whether generated C runs the step; the framework runs the others."""
    if step.plans:
        # Inside, a product is BLAS's whatever its size: leaving C at every step costs more.
        return all(_blas_or_kernel(inner) for plan in step.plans for inner in plan.walk())
    return _blas_or_kernel(step) and not (isinstance(step, Matmul) and is_onednn(step))


def _blas_or_kernel(step: Step) -> bool:
    if isinstance(step, Matmul):
        return c_matmul.is_blas(step) and blas.address(c_matmul.NAMES[step.dtype.name]) is not None
    return c_program.runs_in_c(step)


def is_onednn(step: Matmul) -> bool:
    """Whether oneDNN is the faster library for the step."""
    large = 2 * step.m * step.n * step.k >= _LARGE
    plain = step.batch == 1 and not step.transpose_lhs and step.dtype is F32
    return large and plain and torch.backends.mkldnn.is_available()


def onednn(step: Matmul, lhs: torch.Tensor, rhs: torch.Tensor) -> torch.Tensor:
    """lhs f32[m, k] @ rhs f32[k, n] (or its transpose) -> f32[m, n]."""
    rows = lhs.view(step.m, step.k)
    weight = rhs.view(step.n, step.k) if step.transpose_rhs else rhs.view(step.k, step.n).t()
    result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(rows, weight, None, "none", [], "")
    return result
