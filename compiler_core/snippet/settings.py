"""torch's settings of the whole process that decide what a call computes, and which a snippet may
change between two calls: TorchDynamo guards each of them. Gradients and autocast, which hold for a
thread: circumstances.py."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

# The value of each of `_SETTINGS`, in their order; empty in a process without torch.
Settings = tuple[Any, ...]


class _Setting(NamedTuple):
    """What reads a setting of torch, and what sets it."""

    get: Callable[[Any], Any]
    set: Callable[[Any, Any], object]


def _product(name: str) -> _Setting:
    """A switch of products, which is CUDA's by its name alone."""
    return _Setting(
        lambda torch: getattr(torch.backends.cuda.matmul, name),
        lambda torch, value: setattr(torch.backends.cuda.matmul, name, value),
    )


def _precision(torch: Any) -> str | None:
    """None where it was set by the interface that torch is to have one day, too: torch then raises
    whenever it is asked by the other."""
    try:
        return str(torch.get_float32_matmul_precision())
    except RuntimeError:
        return None


_SETTINGS = (
    _Setting(lambda torch: torch.get_default_dtype(),
             lambda torch, dtype: torch.set_default_dtype(dtype)),
    _Setting(lambda torch: (torch.are_deterministic_algorithms_enabled(),
                            torch.is_deterministic_algorithms_warn_only_enabled()),
             lambda torch, of: torch.use_deterministic_algorithms(of[0], warn_only=of[1])),
    _Setting(lambda torch: torch.get_num_threads(),
             lambda torch, count: torch.set_num_threads(count)),
    _Setting(_precision,
             lambda torch, precision: torch.set_float32_matmul_precision(precision)),
    _product("allow_fp16_reduced_precision_reduction"),
    _product("allow_bf16_reduced_precision_reduction"),
)  # fmt: skip


def settings_now() -> Settings:
    """The current settings."""
    torch = sys.modules.get("torch")
    return () if torch is None else tuple(each.get(torch) for each in _SETTINGS)


def restore(settings: Settings) -> None:
    """Restores those settings that have changed."""
    torch: Any = sys.modules.get("torch")
    now = settings_now() if settings else ()
    for each, is_, was in zip(_SETTINGS, now, settings, strict=bool(settings)):
        if is_ != was and None not in (is_, was):
            each.set(torch, was)


@contextmanager
def set_as(settings: Settings) -> Iterator[None]:
    """Context in which torch has these settings; afterwards they are as before."""
    before = settings_now()
    restore(settings)
    try:
        yield
    finally:
        restore(before)
