"""What reading a module uses of JAX that it does not promise, in one place, jaxlib's MLIR bindings
above all; a test looks up each name (tests/project/test_private_names.py). Imported when a module
is read."""

from jax._src.interpreters.mlir import make_ir_context
from jax._src.lib.mlir import ir
from jax._src.lib.mlir.dialects import hlo
from jax._src.source_info_util import register_exclusion

__all__ = ["hlo", "ir", "make_ir_context", "register_exclusion"]
