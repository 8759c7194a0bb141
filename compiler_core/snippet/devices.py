"""The device of a snippet's tensors.

On a machine without a GPU, or for a run on the CPU, `cuda` means the CPU, with one notice for each
line. For a run on another device than the CPU, tensors that are created without a device are
created there.
"""

import functools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.private import constructors
from compiler_core.snippet.source import place


class OnCpu(TorchFunctionMode):
    """A torch function mode that replaces cuda by cpu in arguments. `rewritten` counts the calls
    that it changed."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        super().__init__()
        self._notify, self.rewritten = notify, 0

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.cuda:
            self._rewrote(".cuda()")
            return args[0]
        if any(map(_is_cuda, args[1:])) or any(map(_is_cuda, kwargs.values())):
            self._rewrote("the device cuda")
            # Only the devices: a tensor that lives on the CPU is never on cuda here.
            args = (*args[:1], *map(_cpu_for_cuda, args[1:]))
            kwargs = {name: _cpu_for_cuda(value) for name, value in kwargs.items()}
        return func(*args, **kwargs)

    def _rewrote(self, what: str) -> None:
        self.rewritten += 1
        self._notify(what)


def _is_cuda(value: Any) -> bool:
    if isinstance(value, str):
        return value == "cuda" or value.startswith("cuda:")
    return isinstance(value, torch.device) and value.type == "cuda"


def _cpu_for_cuda(value: Any) -> Any:
    return "cpu" if _is_cuda(value) else value


class OnDevice(TorchFunctionMode):
    """A torch function mode in which factory functions create tensors on a device type by default.
    `rewritten` counts the calls that it changed."""

    def __init__(self, memory: str) -> None:
        super().__init__()
        self._memory, self.rewritten = memory, 0

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = dict(kwargs or {})
        if func in constructors() and kwargs.get("device") is None:
            kwargs["device"] = self._memory
            self.rewritten += 1
        return func(*args, **kwargs)


Mode = OnCpu | OnDevice


def mode_for(tensors: Sequence[torch.Tensor]) -> Mode:
    """The mode for a program that is called with `tensors`, by their device."""
    elsewhere = (t.device.type for t in tensors if t.device.type != "cpu")
    memory = next(elsewhere, "cpu")
    return OnCpu(lambda what: None) if memory == "cpu" else OnDevice(memory)


class Placed:
    """A program that names devices, to be called under the mode of the run's device."""

    def __init__(self, fn: Callable[..., Any], mode: Mode) -> None:
        self.fuselab_original, self._mode = fn, mode
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        with self._mode:
            return self.fuselab_original(*args, **kwargs)


class Event:
    """Replaces torch.cuda.Event on a machine without a GPU; measures wall-clock time."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._at = 0.0

    def record(self, stream: Any = None) -> None:
        self._at = time.perf_counter()

    def synchronize(self) -> None:
        """Returns at once: on the CPU nothing is asynchronous."""

    def query(self) -> bool:
        return True

    def elapsed_time(self, other: "Event") -> float:
        """Milliseconds from this event to `other`."""
        return (other._at - self._at) * 1e3


# Functions of torch.cuda that do nothing on the CPU.
_IDLE = ("synchronize", "set_device", "empty_cache", "reset_peak_memory_stats")


@contextmanager
def on_device(device: str, emit: Emit) -> Iterator[None]:
    """Context in which the snippet's tensors are created on torch's device type `device`."""
    if device != "cpu":
        with OnDevice(device):
            yield
        return
    notified: set[int | None] = set()

    def notify(what: str) -> None:
        at = place()
        line = at[0] if at else None
        if line not in notified:
            notified.add(line)
            notice(emit, f"{what}: this run is on the CPU", line)

    with OnCpu(notify), _idle_cuda(notify):
        yield


@contextmanager
def _idle_cuda(notify: Callable[[str], None]) -> Iterator[None]:
    """Replaces functions that would initialize CUDA."""

    def set_default(device: Any) -> None:
        # The CPU is the default already; another default would outlive the snippet.
        if _is_cuda(device):
            notify("the default device cuda")

    stands: list[tuple[Any, str, Any]] = [
        (torch, "set_default_device", set_default),
        (torch.cuda, "Event", Event),
        *((torch.cuda, name, _replacement(notify, name)) for name in _IDLE),
    ]
    real = [(owner, name, getattr(owner, name)) for owner, name, _ in stands]
    try:
        for owner, name, stand in stands:
            setattr(owner, name, stand)
        yield
    finally:
        for owner, name, value in real:
            setattr(owner, name, value)


def _replacement(notify: Callable[[str], None], name: str) -> Callable[..., None]:
    @functools.wraps(getattr(torch.cuda, name))
    def stand(*_: Any, **__: Any) -> None:
        notify(f"torch.cuda.{name}()")

    return stand
