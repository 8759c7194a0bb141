"""The names of JAX, above all jaxlib's MLIR bindings, that reading a module uses and that JAX does
not promise, in one place; a test looks up each (tests/project/test_private_names.py). This module
is imported when a module is read."""

from jax._src.interpreters.mlir import make_ir_context
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo
from jax._src.source_info_util import register_exclusion

__all__ = ["hlo", "ir", "make_ir_context", "register_exclusion"]
