"""What compiling offline uses of Triton that it does not promise, in one place; a test looks up
each name (tests/project/test_private_names.py). Of its interpreter: interpreted/. Imported when
something is compiled, for Triton takes a second."""

from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas, sm_arch_from_capability
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

__all__ = ["ASTSource", "GPUTarget", "get_ptxas", "ir", "make_backend", "sm_arch_from_capability"]
