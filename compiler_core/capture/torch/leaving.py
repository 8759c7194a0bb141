"""What a program may do on fake tensors although no graph can express it."""

import contextlib
import inspect
import logging
import sys
from collections.abc import Callable, Iterator
from types import FrameType, FunctionType
from typing import Any
from unittest import mock

import torch

# The name of the method that torch calls for each operation under a mode.
_DISPATCH = "__torch_dispatch__"


class LeavesGraph(Exception):
    """Raised while a program is traced, where Python has to run between graphs."""


@contextlib.contextmanager
def within_the_graph(fake: Callable[[Any], Any]) -> Iterator[None]:
    """Context in which a program raises LeavesGraph where it turns a tensor into text, sets the
    state of torch's random generator, gives a tensor other memory, or asks for a graph break.
    `fake` gives the tensor that a tensor is traced as."""
    with (
        _values_unseen(),
        _generator_untouched(),
        _data_kept(fake),
        _breaks_heard(),
        _errors_unlogged(),
    ):
        yield


def _leaves(*_: Any, **__: Any) -> Any:
    raise LeavesGraph


@contextlib.contextmanager
def _values_unseen() -> Iterator[None]:
    """A tensor without values has no text that a person means. Within an operation it is torch
    that asks: it quotes the arguments for each overload that they do not fit."""

    def shown(*_: Any, **__: Any) -> str:
        if _within_operation(sys._getframe()):
            return "a tensor"
        raise LeavesGraph

    with mock.patch.object(torch._tensor_str, "_str", shown):
        yield


def _within_operation(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == _DISPATCH:
            return True
        frame = frame.f_back
    return False


_GENERATOR = ("manual_seed", "seed", "set_rng_state")


@contextlib.contextmanager
def _generator_untouched() -> Iterator[None]:
    """What a program does to the generator is Python between graphs."""
    with contextlib.ExitStack() as stack:
        for module in (torch, torch.random):
            for name in _GENERATOR:
                stack.enter_context(mock.patch.object(module, name, _leaves))
        yield


@contextlib.contextmanager
def _data_kept(fake: Callable[[Any], Any]) -> Iterator[None]:
    """`x.data` may be read, and written into, as by `x.data -= y`; `x.data = y` is Python between
    graphs."""

    def assigned(tensor: torch.Tensor, data: torch.Tensor) -> None:
        if _memory(fake(tensor)) != _memory(fake(data)):
            raise LeavesGraph

    kept = property(torch._C.TensorBase.data.__get__, assigned)
    with mock.patch.object(torch.Tensor, "data", kept, create=True):
        yield


def _memory(x: torch.Tensor) -> tuple[object, ...]:
    """What two tensors have in common that are the same elements of one memory."""
    storage = x.untyped_storage()._cdata
    return storage, x.dtype, x.shape, x.stride(), x.storage_offset()


@contextlib.contextmanager
def _errors_unlogged() -> Iterator[None]:
    """What an operation raises on fake tensors is not logged, too."""
    logger = logging.getLogger("torch._subclasses.fake_tensor")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


# -- graph breaks that a program asks for

# The names of torch's wrappers around a function that Dynamo is not to compile.
_DISABLED = ("_fn", "nonrecursive_disable_wrapper")
_INNER = "fn"


@contextlib.contextmanager
def _breaks_heard() -> Iterator[None]:
    """A call of `torch._dynamo.graph_break`, by whatever name, and of a function that the snippet
    or a library has given to `torch.compiler.disable`. torch's own functions that are disabled so
    are traced: it has them for other reasons than what they compute."""
    exporting = torch.compiler.is_exporting
    asked = torch._dynamo.graph_break

    def is_exporting() -> bool:
        if _disabled_by_another(sys._getframe(1)):
            raise LeavesGraph
        return exporting()

    before = asked.__code__
    torch.compiler.is_exporting = is_exporting
    asked.__code__ = _raises.__code__
    try:
        yield
    finally:
        torch.compiler.is_exporting, asked.__code__ = exporting, before


def calls_skipped(fn: Callable[..., Any]) -> bool:
    """Whether `fn`, or a function among its globals, was given to torch._dynamo.decorators.skip,
    which leaves no trace but a mark: where it is called, Python runs between graphs."""
    inner = inspect.unwrap(fn)
    names = getattr(getattr(type(inner), "forward", inner), "__globals__", {})
    return any(map(_is_skipped, [inner, *names.values()]))


def _is_skipped(value: Any) -> bool:
    marked = isinstance(value, FunctionType) and getattr(value, "_torchdynamo_disable", False)
    return bool(marked) and value.__code__.co_name not in _DISABLED


def _raises(msg: str = "") -> None:
    # It runs with the names of torch's module.
    import sys

    from compiler_core.capture.torch.leaving import LeavesGraph, is_optimizers

    if not is_optimizers(sys._getframe(1)):
        raise LeavesGraph


def is_optimizers(caller: FrameType) -> bool:
    """Whether `caller` is what torch puts around the step of an optimizer, which asks for a graph
    break before and after it."""
    return caller.f_globals.get("__name__") == torch.optim.Optimizer.__module__


def _disabled_by_another(caller: FrameType) -> bool:
    """Whether `caller` is what torch puts around a function that is not torch's own. It puts it
    around each `__torch_dispatch__`, ours too."""
    if caller.f_code.co_name not in _DISABLED:
        return False
    inner = caller.f_locals.get(_INNER)
    if getattr(inner, "__name__", "") == _DISPATCH:
        return False
    is_torchs = str(getattr(inner, "__module__", "")).partition(".")[0] == "torch"
    return not is_torchs or isinstance(getattr(inner, "__self__", None), torch.nn.Module)
