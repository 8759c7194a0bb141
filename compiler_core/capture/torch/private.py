"""The names of torch that capturing uses and that torch does not promise, in one place; a test
looks up each (tests/project/test_private_names.py). Those of TorchDynamo are in
dynamo/private.py."""

import contextlib
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any
from unittest import mock

import torch
from torch._higher_order_ops import utils as _higher_order
from torch._higher_order_ops.cond import cond_op
from torch._higher_order_ops.flex_attention import flex_attention, math_attention
from torch._higher_order_ops.scan import scan_op
from torch._higher_order_ops.while_loop import while_loop_op
from torch._prims_common import get_computation_dtype, suggest_memory_format
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    UnsupportedOperatorException,
)
from torch.fx.experimental.sym_node import SymNode
from torch.utils._python_dispatch import _get_current_dispatch_mode, _pop_mode_temporarily

__all__ = [
    "NAMESPACES",
    "DataDependentOutputException",
    "DynamicOutputShapeException",
    "UnsupportedOperatorException",
    "cond_op",
    "flex_attention",
    "get_computation_dtype",
    "math_attention",
    "scan_op",
    "suggest_memory_format",
    "while_loop_op",
]

_COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd
# The namespaces of torch's own operators, read before a snippet defines any.
NAMESPACES = frozenset(name.split("::")[0] for name in torch._C._dispatch_get_all_op_names())
# The dispatch keys for which an operation's kernels in Python are registered.
IN_PYTHON = (torch._C.DispatchKey.Autograd, _COMPOSITE)

# The code object that calls a module.
MODULE_CALL = torch.nn.Module._call_impl.__code__

# The innermost dispatch mode, and a context without it.
current_mode = _get_current_dispatch_mode
without_innermost_mode = _pop_mode_temporarily
# Context in which operations are called below autograd.
below_autograd = torch._C._AutoDispatchBelowAutograd


@lru_cache(maxsize=4096)
def is_composite(func: Any) -> bool:
    """Whether an operation is implemented in terms of others (CompositeImplicitAutograd)."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), _COMPOSITE))


@cache
def decompositions() -> dict[Any, Any]:
    """torch's own decompositions, by operation. The first call takes a second."""
    from torch._decomp import decomposition_table

    return decomposition_table


@contextlib.contextmanager
def onednn(on: bool) -> Iterator[None]:
    """Context in which torch may call oneDNN, or not. (`torch.backends.mkldnn.flags` also sets what
    torch warns of.)"""
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(before and on)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


# A program's assertion about its sizes.
assert_of_sizes = torch._check


@contextlib.contextmanager
def sizes_asserted(around: Callable[[Callable[[], bool]], bool]) -> Iterator[None]:
    """Context in which each assertion about symbolic sizes (`torch._check`) is `around(otherwise)`:
    `otherwise()` does what torch does, which adds a guard."""
    own = SymNode.expect_true

    def expect_true(node: Any, file: str, line: int) -> bool:
        return around(lambda: own(node, file, line))

    with mock.patch.object(SymNode, "expect_true", expect_true):
        yield


@contextlib.contextmanager
def functions_called_by(call: Callable[..., Any]) -> Iterator[None]:
    """Context in which torch.cond and its kin, called by a program, are `call(otherwise, name,
    *args)`: `otherwise()` does what torch does, `name` is torch's for the operation, `args` are
    those that the operation takes."""
    own = torch.compile

    def compiled(fn: Any = None, **options: Any) -> Any:
        result = own(fn, **options)
        if not _higher_order._in_hop_compile():
            return result
        name = getattr(fn, "__name__", "")
        return lambda *args, **kwargs: call(lambda: result(*args, **kwargs), name, *args)

    # torch compiles such an operation where it is called, and says so meanwhile.
    with mock.patch.object(torch, "compile", compiled):
        yield
