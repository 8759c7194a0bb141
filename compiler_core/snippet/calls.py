"""The distinct calls of one function in the order in which they were made: those for which
TorchDynamo may compile anew."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from types import FunctionType
from typing import Any

from compiler_core.snippet import specs
from compiler_core.snippet.circumstances import (
    PLAIN,
    Autocast,
    Binding,
    Closure,
    Flags,
    Journal,
    autocast_now,
    changed,
    flags_of,
    grad_now,
    marks_on,
    set_back,
)
from compiler_core.snippet.contents import Items, contents_of
from compiler_core.snippet.names import named_by, plain_of, reached_by
from compiler_core.snippet.settings import Settings, set_as, settings_now

# Two more than TorchDynamo compiles a function for (recompile_limit is 8), so that it is seen to
# give up. Their tensors are kept, not copied.
_MOST = 10
# The most further calls that are counted.
_MOST_COUNTED = 1000


@dataclass(frozen=True)
class Call:
    """One call: its arguments, and what else decides its result. `plain` are the numbers and
    strings, with their values at the call, that the function's code names, and that its module, its
    arguments and the objects that it names hold; `contents` are the contents of lists and dicts
    among these; `marks` are those on tensors among the arguments; `named` are the other values that
    names stand for."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    line: int | None
    grad: bool
    autocast: Autocast | None
    plain: tuple[Binding, ...]
    settings: Settings = ()
    training: Flags = ()
    contents: tuple[Binding, ...] = ()
    marks: Flags = ()
    named: Flags = ()

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Context in which everything that decides the call's result is as it was."""
        before = (*changed((*self.plain, *self.contents, *self.named)), *self.training, *self.marks)
        within = _autocast(self.autocast), set_as(self.settings)
        with set_back(before), _grad(self.grad), within[0], within[1]:
            yield


def _grad(on: bool) -> Any:
    import torch

    return torch.set_grad_enabled(on)


def _autocast(autocast: Autocast | None) -> Any:
    import torch

    return nullcontext() if autocast is None else torch.autocast(autocast[0], dtype=autocast[1])


@dataclass
class Calls:
    """The calls of one torch function that differ in what guards can see; at most the first few."""

    fn: Callable[..., Any]
    _met: dict[Any, tuple[Call, int]] = field(default_factory=dict)
    _more: dict[Any, int | None] = field(default_factory=dict)

    def meet(self, args: Any, kwargs: Any, line: int | None, journal: Journal) -> None:
        """Records a call that is about to be made."""
        if len(self._more) >= _MOST_COUNTED:
            return
        leaves = specs.leaves((args, dict(kwargs)))
        plain = (*plain_of(self.fn), *flags_of(leaves))
        reached = *reached_by(self.fn), *args, *kwargs.values(), *leaves
        call = Call(
            args, kwargs, line, grad_now(), autocast_now(), plain, settings_now(),
            contents=contents_of(reached), marks=marks_on(leaves), named=named_by(self.fn),
        )  # fmt: skip
        key = _key(call, self.fn)
        if key in self._met or len(self._met) < _MOST:
            self._met.setdefault(key, (call, journal.now))
        else:
            self._more.setdefault(key, line)

    @property
    def left_out(self) -> tuple[int | None, ...]:
        """The lines of the different calls beside those that are kept, a line for each call."""
        return tuple(self._more.values())

    def all(self, journal: Journal) -> tuple[Call, ...]:
        """The distinct calls, in order."""
        return tuple(
            replace(c, training=journal.all_at(moment)) for c, moment in self._met.values()
        )


def _key(call: Call, fn: Any) -> Any:
    leaves = specs.leaves((call.args, dict(call.kwargs)))
    values = tuple((name, value) for _, name, value in call.plain)
    training = getattr(fn, "training", None)
    order = tuple(_keys((call.args, dict(call.kwargs))))
    now = call.grad, call.autocast, call.settings, training
    inside = tuple(items.guarded for _, _, items in call.contents)
    named = tuple((name, _guarded(value)) for _, name, value in call.named)
    return (*map(_leaf, leaves), len(leaves), order, *now, values, inside, named)


def _leaf(leaf: Any) -> Any:
    if isinstance(leaf, FunctionType):
        captured = Closure(leaf).items()
        return id(leaf.__code__), *((n, x if isinstance(x, PLAIN) else id(x)) for n, x in captured)
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        return type(leaf).__name__, f"{leaf!r:.40}"
    strides = leaf.stride() if hasattr(leaf, "stride") else ()
    return leaf.dtype, tuple(leaf.shape), strides, getattr(leaf, "requires_grad", False)


def _guarded(value: Any) -> Any:
    """What guards see of what a name stands for."""
    if isinstance(value, FunctionType):
        return id(value.__code__)
    if isinstance(value, Items):
        return value.guarded
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return _leaf(value)
    return type(value).__name__


def _keys(tree: Any) -> Iterator[Any]:
    """The keys of nested dicts, in their order, which guards see as well."""
    if isinstance(tree, dict):
        yield from tree
    if isinstance(tree, dict | list | tuple):
        for each in tree.values() if isinstance(tree, dict) else tree:
            yield from _keys(each)
