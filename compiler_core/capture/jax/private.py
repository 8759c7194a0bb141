"""The names of JAX that capturing uses and that JAX does not promise, in one place; a test looks up
each (tests/project/test_private_names.py)."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from types import CodeType
from typing import Any


def at_place(eqn: Any) -> AbstractContextManager[Any]:
    """Context in which primitives are bound with the stack and scopes of the equation, as in JAX's
    own evaluation of a jaxpr (jax.core.eval_jaxpr)."""
    from jax._src import source_info_util

    info = eqn.source_info
    stack = source_info_util.current_name_stack() + info.name_stack
    return source_info_util.user_context(info.traceback, name_stack=stack)


def scopes_of(eqn: Any) -> tuple[str, ...]:
    """The names that jax.named_scope gave what an equation stands in, outermost first, without the
    transformations that JAX notes among them."""
    from jax._src.source_info_util import Scope

    stack = eqn.source_info.name_stack.stack
    return tuple(each.name for each in stack if isinstance(each, Scope))


def is_gradient(eqn: Any) -> bool:
    """Whether an equation comes from a transposition, so that it runs in the opposite order of the
    equation that it differentiates."""
    from jax._src.source_info_util import Transform

    stack = eqn.source_info.name_stack.stack
    return any(isinstance(each, Transform) and each.name == "transpose" for each in stack)


def stack_of(eqn: Any) -> list[tuple[CodeType, int]]:
    """The stack in which an equation was bound, innermost frame first: each frame's code and the
    offset of its current instruction. Empty where JAX has not kept it."""
    traceback = eqn.source_info.traceback
    return [] if traceback is None else list(zip(*traceback.raw_frames(), strict=True))


@contextmanager
def errors_numbered() -> Iterator[None]:
    """Context in which checkify numbers the errors of a program from 1. Up to JAX 0.11.1 it numbers
    those of a process, so that a program that was traced once more would return other numbers."""
    checkify: Any = sys.modules.get("jax._src.checkify")
    if not hasattr(checkify, "next_code"):
        yield
        return
    before, checkify.next_code = checkify.next_code, count(1).__next__
    try:
        yield
    finally:
        checkify.next_code = before
