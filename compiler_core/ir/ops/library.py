"""Calls of the framework's own kernels, labelled as such everywhere."""

from compiler_core.ir.ops.info import OpInfo

ROWS = (
    # Attr `callee` is a compiler_core.ir.library.Callee.
    OpInfo("library_call", None, "opaque", 0, ("callee",), pure=False),
)
