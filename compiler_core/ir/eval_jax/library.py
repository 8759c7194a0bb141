"""Calls of JAX's own kernels."""

from collections.abc import Sequence

from compiler_core.errors import Unsupported
from compiler_core.ir.eval_jax.values import Array, SeveralRule
from compiler_core.ir.graph import Operation


def _library_call(operation: Operation, *operands: Array) -> Sequence[Array]:
    callee = operation["callee"]
    if callee.framework != "jax":
        raise Unsupported(
            f"XLA cannot run {callee.framework}'s {callee} here",
            remedy="leave XLA out of the compilers, or write it with operations that are compiled",
        )
    results: tuple[Array, ...] = callee.results(*operands)
    return results


SEVERAL: dict[str, SeveralRule] = {"library_call": _library_call}
