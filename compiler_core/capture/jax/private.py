"""What capturing a JAX program uses that JAX does not promise, in one place; a test looks up each
name (tests/project/test_private_names.py)."""

from contextlib import AbstractContextManager
from typing import Any


def at_place(eqn: Any) -> AbstractContextManager[Any]:
    """Context in which what is bound stands where the equation does, as in JAX's own evaluation of
    a jaxpr (jax.core.eval_jaxpr)."""
    from jax._src import source_info_util

    info = eqn.source_info
    stack = source_info_util.current_name_stack() + info.name_stack
    return source_info_util.user_context(info.traceback, name_stack=stack)
