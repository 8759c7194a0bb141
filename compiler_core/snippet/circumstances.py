"""What, besides its arguments, decides what a call of a torch program computes: which modules are
training, under which autocast it runs, and whether gradients are recorded. A snippet may have
changed all three by the time that its programs are compiled.
"""

import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

Flags = tuple[tuple[Any, bool], ...]
# A device type, and the dtype that autocast computes in there.
Autocast = tuple[str, Any]
# The device types that autocast is looked up for, and put back on.
AUTOCAST_DEVICES = ("cpu", "cuda")


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
        return tuple(first.values())

    def all_at(self, moment: int) -> Flags:
        """Every module that was ever changed, with its mode at `moment`."""
        then = {id(module): was for module, was in self.at(moment)}
        modules = {id(module): module for module, _ in self._changes}
        return tuple((m, then.get(key, m.training)) for key, m in modules.items())


@contextmanager
def set_back(flags: Flags) -> Iterator[None]:
    """Context in which the modules are in the given modes; afterwards they are as before."""
    after = [(module, module.training) for module, _ in flags]
    _set(flags)
    try:
        yield
    finally:
        _set(after)


def _set(flags: Iterable[tuple[Any, bool]]) -> None:
    for module, training in flags:
        module.training = training


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
