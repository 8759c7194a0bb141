"""What, besides its arguments, decides what a call of a torch program computes: which modules are
training, what numbers and flags they hold and of which types their tensors are, under which
autocast it runs, and whether gradients are recorded. A snippet may have changed all of it by the
time that its programs are compiled.
"""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import contextmanager
from copy import copy
from itertools import compress
from typing import Any

# The namespace of a module, an object or a closure, a name in it, and a value.
Space = MutableMapping[str, Any]
Binding = tuple[Space, str, Any]
Flags = tuple[Binding, ...]
# Types whose values TorchDynamo's guards compare.
PLAIN = (bool, int, float, str)
# A device type, and the dtype that autocast computes in on it.
Autocast = tuple[str, Any]
# The device types for which autocast is recorded and restored.
AUTOCAST_DEVICES = ("cpu", "cuda")


class ByValue:
    """Base of values that are created anew whenever they are read and are compared by equality, not
    identity."""


class Closure(MutableMapping[str, Any]):
    """The variables that a function closes over, by name, as far as they have a value."""

    def __init__(self, function: Any) -> None:
        names = function.__code__.co_freevars
        self._cells = dict(zip(names, function.__closure__ or (), strict=True))

    def __getitem__(self, name: str) -> Any:
        try:
            return self._cells[name].cell_contents
        except ValueError:  # of an empty cell
            raise KeyError(name) from None

    def __setitem__(self, name: str, value: Any) -> None:
        self._cells[name].cell_contents = value

    def __delitem__(self, name: str) -> None:
        del self._cells[name].cell_contents

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._cells if name in self)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._cells and self.get(name, self) is not self

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Journal:
    """Records changes by `Module.train` and `eval`: each with the module and its previous mode."""

    def __init__(self) -> None:
        self._changes: list[tuple[Any, bool]] = []

    def writing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """A replacement for `Module.train` that records changes; torch's own calls itself for each
        submodule."""

        def train(module: Any, mode: bool = True) -> Any:
            self._changes.append((module, module.training))
            return real(module, mode)

        return train

    @property
    def now(self) -> int:
        """The current moment, for `at`."""
        return len(self._changes)

    def at(self, moment: int) -> Flags:
        """The modules that were changed since `moment`, with their modes at that moment."""
        first = {id(module): (module, was) for module, was in reversed(self._changes[moment:])}
        return tuple((vars(module), "training", was) for module, was in first.values())

    def all_at(self, moment: int) -> Flags:
        """Every module that was ever changed, with its mode at `moment`."""
        then = {id(space): was for space, _, was in self.at(moment)}
        spaces = {id(vars(module)): vars(module) for module, _ in self._changes}
        return tuple((s, "training", then.get(k, s["training"])) for k, s in spaces.items())


def attributes(fn: Any) -> Flags:
    """The numbers, texts and flags that a program's modules hold."""
    torch, owner = sys.modules.get("torch"), getattr(fn, "__self__", fn)
    if torch is None or not isinstance(owner, torch.nn.Module):
        return ()
    spaces = [module.__dict__ for module in owner.modules()]
    return tuple((s, name, x) for s in spaces for name, x in s.items() if _is_own(name, x))


def flags_of(values: Iterable[Any]) -> Flags:
    """The numbers, strings and flags that objects of the snippet's own classes hold, themselves or
    through their classes: a configuration that is passed to a function, or that it names."""
    own = {id(x): x for x in values if _is_of_snippet(x)}
    return tuple(
        (vars(x), name, value)
        for x in own.values()
        for name, value in (_of_classes(type(x)) | vars(x)).items()
        if _is_own(name, value)
    )


def _is_of_snippet(value: Any) -> bool:
    is_own = type(value).__module__ == "__main__" and hasattr(value, "__dict__")
    return is_own and not (hasattr(value, "shape") and hasattr(value, "dtype"))


def _of_classes(kind: type) -> dict[str, Any]:
    own = [c for c in reversed(kind.__mro__) if c.__module__ == "__main__"]
    return {name: value for c in own for name, value in vars(c).items()}


def marks_on(values: Iterable[Any]) -> Flags:
    """The marks that `torch._dynamo.mark_dynamic` and its kin have put on tensors, as they are now:
    torch.export takes them away where it is given `dynamic_shapes`."""
    torch = sys.modules.get("torch")
    tensors = [] if torch is None else [x for x in values if isinstance(x, torch.Tensor)]
    return tuple(
        (vars(tensor), name, copy(mark))
        for tensor in tensors
        for name, mark in vars(tensor).items()
        if "_dynamo_" in name
    )


def types(fn: Any) -> Flags:
    """The dtypes of the parameters and buffers of a program's modules."""
    torch, owner = sys.modules.get("torch"), getattr(fn, "__self__", fn)
    if torch is None or not isinstance(owner, torch.nn.Module):
        return ()
    spaces = [s for module in owner.modules() for s in (module._parameters, module._buffers)]
    return tuple((s, name, x.dtype) for s in spaces for name, x in s.items() if _is_cast(x))


def _is_cast(tensor: Any) -> bool:
    """Whether `module.half()` and the like would cast it."""
    return tensor is not None and (tensor.is_floating_point() or tensor.is_complex())


def retyped(were: Flags) -> Flags:
    """The tensors that have another dtype than in `were`, with their current values in the dtype
    that they had; a tensor with several names stays one tensor."""
    torch: Any = sys.modules.get("torch")
    cast: dict[tuple[int, Any], Any] = {}
    found: list[Binding] = []
    for space, name, dtype in were:
        now = space.get(name)
        if not isinstance(now, torch.Tensor) or now.dtype == dtype or not _is_cast(now):
            continue
        key = id(now), dtype
        if key not in cast:
            new = now.detach().to(dtype)
            is_parameter = isinstance(now, torch.nn.Parameter)
            cast[key] = torch.nn.Parameter(new, now.requires_grad) if is_parameter else new
        found.append((space, name, cast[key]))
    return tuple(found)


def _is_own(name: str, value: Any) -> bool:
    return isinstance(value, PLAIN) and name != "training" and not name.startswith("_")


def changed(flags: Flags) -> Flags:
    """Those of `flags` whose current value is another one, or that are gone; a value that is no
    number or string has changed if it is another object."""
    return tuple(compress(flags, [_is_other(*flag) for flag in flags]))


def _is_other(space: Space, name: str, was: Any) -> bool:
    if not isinstance(was, (*PLAIN, ByValue)):
        return space.get(name) is not was
    is_ = space.get(name, was)
    return type(is_) is not type(was) or is_ != was


def put_back(flags: Flags) -> bool:
    """Restores the values in `flags`; returns whether any had changed."""
    others = changed(flags)
    _bind(others)
    return bool(others)


@contextmanager
def set_back(flags: Flags) -> Iterator[None]:
    """Context in which each of `flags` has the given value; afterwards they are as before."""
    after = [(space, name, space[name]) for space, name, _ in flags if name in space]
    absent = [(space, name) for space, name, _ in flags if name not in space]
    _bind(flags)
    try:
        yield
    finally:
        _bind(after)
        for space, name in absent:
            space.pop(name, None)


def _bind(flags: Iterable[Binding]) -> None:
    for space, name, value in flags:
        space[name] = value


def autocast_now() -> Autocast | None:
    """The autocast that is active; None if there is none."""
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    on = (device for device in AUTOCAST_DEVICES if torch.is_autocast_enabled(device))
    return next(((device, torch.get_autocast_dtype(device)) for device in on), None)


def grad_now() -> bool:
    """Whether torch records gradients."""
    torch = sys.modules.get("torch")
    return torch is None or bool(torch.is_grad_enabled())


def under(autocast: Autocast | None, fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` called under `autocast`."""
    if autocast is None:
        return fn
    torch, (device, dtype) = sys.modules["torch"], autocast

    @functools.wraps(fn, updated=())
    def cast(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast(device, dtype=dtype):
            return fn(*args, **kwargs)

    wrapped: Any = cast
    wrapped.fuselab_original = fn
    return cast
