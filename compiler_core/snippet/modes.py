"""torch's modes, which hold for everything that runs in a thread, restored after each program.

A program may leave a mode active, and so may an exception on its way through torch's own context
managers: a function mode sees the very call that would have enabled gradients again, and may raise.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from compiler_core.snippet.circumstances import AUTOCAST_DEVICES
from compiler_core.snippet.settings import restore, settings_now


@dataclass(frozen=True)
class Modes:
    """The modes at one moment. `settings` are setters with their values; `depths` the numbers of
    active function modes and dispatch modes. Empty in a process without torch."""

    settings: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = ()
    depths: tuple[int, int] | None = None
    random: Any = None

    @classmethod
    def now(cls) -> "Modes":
        """The current modes."""
        torch = sys.modules.get("torch")
        if torch is None:
            return cls()
        settings = [
            (torch._C._set_grad_enabled, (torch.is_grad_enabled(),)),
            (torch._C._set_multithreading_enabled, (torch._C._is_multithreading_enabled(),)),
            (restore, (settings_now(),)),
            *(
                (torch.set_autocast_enabled, (device, torch.is_autocast_enabled(device)))
                for device in AUTOCAST_DEVICES
            ),
        ]
        return cls(tuple(settings), _depths(torch), torch.get_rng_state())

    def restore(self) -> None:
        """Restores them. Modes entered since then are left first, since they would see the other
        calls."""
        if self.depths is None:
            return
        torch: Any = sys.modules["torch"]
        functions, dispatch = self.depths
        while torch._C._len_torch_function_stack() > functions:
            torch._C._pop_torch_function_stack()
        _leave_dispatch_modes(torch, dispatch)
        for set_, arguments in self.settings:
            set_(*arguments)
        torch.set_rng_state(self.random)


@contextmanager
def without_dispatch_modes() -> Iterator[None]:
    """Context after which no dispatch mode is active that was entered meanwhile: it would see the
    compiler's own calls, and FakeTensorMode would leave its tensors without memory."""
    torch = sys.modules.get("torch")
    dispatch = 0 if torch is None else _depths(torch)[1]
    try:
        yield
    finally:
        if (torch := sys.modules.get("torch")) is not None:
            _leave_dispatch_modes(torch, dispatch)


def _leave_dispatch_modes(torch: Any, depth: int) -> None:
    while torch._C._len_torch_dispatch_stack() > depth:
        torch._C._pop_torch_dispatch_stack(None)


def _depths(torch: Any) -> tuple[int, int]:
    return torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack()


@contextmanager
def without_values() -> Iterator[None]:
    """Within the context, torch's tensors are shapes and types alone, and nothing is compiled: what
    is would read memory that they do not have."""
    import torch

    from compiler_core.interop.private import FakeTensorMode

    with FakeTensorMode(allow_non_fake_inputs=True), torch.compiler.set_stance("force_eager"):
        yield
