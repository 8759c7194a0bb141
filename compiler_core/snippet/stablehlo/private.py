"""jaxlib's MLIR bindings, which are private to JAX, in one place; a test looks up each name
(tests/project/test_private_names.py). Imported when a module is read."""

from jax._src.interpreters.mlir import make_ir_context
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo

__all__ = ["hlo", "ir", "make_ir_context"]
