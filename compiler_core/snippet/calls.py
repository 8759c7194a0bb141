"""The distinct calls of one function in the order in which they were made: those for which
TorchDynamo may compile anew."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from types import CodeType, FunctionType
from typing import Any

from compiler_core.snippet import specs
from compiler_core.snippet.circumstances import (
    PLAIN,
    Autocast,
    Binding,
    Closure,
    Flags,
    Journal,
    Space,
    autocast_now,
    changed,
    flags_of,
    grad_now,
    marks_on,
    set_back,
)
from compiler_core.snippet.contents import contents_of
from compiler_core.snippet.settings import Settings, set_as, settings_now

# Two more than TorchDynamo compiles a function for (recompile_limit is 8), so that it is seen to
# give up. Their tensors are kept, not copied.
_MOST = 10
# Further ones are only counted, up to so many.
_MOST_COUNTED = 1000


@dataclass(frozen=True)
class Call:
    """One call: its arguments, and what else decides its result. `plain` are the numbers and
    strings that the function's code names, and those that its module, its arguments and what it
    names hold, with their values at the call; `contents` is what these have in lists and dicts,
    `marks` are those on tensors among the arguments."""

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

    @contextmanager
    def under_way(self) -> Iterator[None]:
        """Context in which everything that decides the call's result is as it was."""
        before = (*changed((*self.plain, *self.contents)), *self.training, *self.marks)
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
            contents=contents_of(reached), marks=marks_on(leaves),
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
    return (*map(_leaf, leaves), len(leaves), order, *now, values, inside)


def _leaf(leaf: Any) -> Any:
    if isinstance(leaf, FunctionType):
        captured = Closure(leaf).items()
        return id(leaf.__code__), *((n, x if isinstance(x, PLAIN) else id(x)) for n, x in captured)
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        return type(leaf).__name__, f"{leaf!r:.40}"
    strides = leaf.stride() if hasattr(leaf, "stride") else ()
    return leaf.dtype, tuple(leaf.shape), strides, getattr(leaf, "requires_grad", False)


def _keys(tree: Any) -> Iterator[Any]:
    """The keys of nested dicts, in their order, which guards see as well."""
    if isinstance(tree, dict):
        yield from tree
    if isinstance(tree, dict | list | tuple):
        for each in tree.values() if isinstance(tree, dict) else tree:
            yield from _keys(each)


def plain_of(fn: Any) -> Iterator[Binding]:
    """The numbers, flags and texts that a function names or closes over; of a module, or of the
    object that a method is of, its attributes as well."""
    owner = _owner(fn)
    if owner is not None:
        names = [n for n in vars(owner) if n != "training" and not n.startswith("_")]
        yield from _those(vars(owner), names)
    for space, names in _named(fn):
        yield from _those(space, names)
        yield from flags_of(space.get(name) for name in names)


def reached_by(fn: Any) -> Iterator[Any]:
    """What a function names, closes over or has as defaults, and the module or object that it is
    of."""
    owner, function = _owner(fn), getattr(type(fn), "forward", fn)
    yield from () if owner is None else (owner,)
    yield from getattr(function, "__defaults__", None) or ()
    yield from (getattr(function, "__kwdefaults__", None) or {}).values()
    for space, names in _named(fn):
        yield from (space[name] for name in names if name in space)


def _owner(fn: Any) -> Any:
    owner = getattr(fn, "__self__", fn)
    return owner if not hasattr(owner, "__code__") and hasattr(owner, "__dict__") else None


def _named(fn: Any) -> Iterator[tuple[Space, list[str]]]:
    """The namespaces of a function, and what it names of each."""
    function = getattr(type(fn), "forward", fn)
    code = getattr(function, "__code__", None)
    if code is not None:
        yield function.__globals__, _names(code)
    if isinstance(function, FunctionType):
        closure = Closure(function)
        yield closure, list(closure)


def _those(space: Space, names: Any) -> Iterator[Binding]:
    for name in names:
        if isinstance(value := space.get(name), PLAIN):
            yield space, name, value


def _names(code: CodeType) -> list[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return list(dict.fromkeys([*code.co_names, *(n for c in inner for n in _names(c))]))
