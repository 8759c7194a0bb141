"""The names of Triton that compiling offline uses and that Triton does not promise, in one place; a
test looks up each (tests/project/test_private_names.py). Those of its interpreter are in
interpreted/. This module is imported only when something is compiled, since importing Triton takes
a second."""

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas, sm_arch_from_capability
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

__all__ = ["ASTSource", "GPUTarget", "get_ptxas", "ir", "make_backend", "sm_arch_from_capability"]
