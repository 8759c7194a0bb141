"""What one call of a program came to: what it returned, printed and left changed, and which of the
tensors are one, or share their memory."""

import contextlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import _pytree as pytree

# Rounding of numbers that are about 1, in f32.
_NEAR = 1e-4
_SEED = 7


@dataclass(frozen=True)
class Outcome:
    """`values` are tensors, as they were then, and Python's values at the places `where`; `one` and
    `memory` are, for each tensor, the first that is the same, and that has the same memory."""

    printed: str
    where: tuple[str, ...]
    values: tuple[Any, ...]
    one: tuple[int, ...]
    memory: tuple[int, ...]


def outcome(call: Callable[[], Any], left: Callable[[], Any]) -> Outcome:
    """Of a call, and of what it has `left` changed. Raises what the call raises."""
    torch.manual_seed(_SEED)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = call()
    paths, _ = pytree.tree_flatten_with_path({"result": result, "left": left()})
    where = tuple(f"{pytree.keystr(path)}: {type(value).__name__}" for path, value in paths)
    values = [value for _, value in paths]
    tensors = [x for x in values if isinstance(x, torch.Tensor)]
    memory = [x.untyped_storage()._cdata if x.numel() else id(x) for x in tensors]
    return Outcome(
        printed.getvalue(),
        where,
        tuple(_as_it_is(x) for x in values),
        _first([id(x) for x in tensors]),
        _first(memory),
    )


def _as_it_is(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    strides = [s for s, n in zip(value.stride(), value.shape, strict=True) if n > 1]
    about = (value.dtype, tuple(value.shape), tuple(strides) if value.numel() else (),
             value.requires_grad)  # fmt: skip
    return about, value.detach().clone()


def _first(keys: Sequence[int]) -> tuple[int, ...]:
    return tuple(keys.index(key) for key in keys)


def difference(found: Outcome, own: Outcome) -> str:
    """How one outcome is not the framework's own; "" where it is."""
    if found.printed != own.printed:
        return f"printed {found.printed!r}, not {own.printed!r}"
    if found.where != own.where:
        return f"gave {_others(found.where, own.where)}"
    for where, value, expected in zip(own.where, found.values, own.values, strict=True):
        off = _off(value, expected)
        if off:
            return f"at {where} {off}"
    if found.one != own.one:
        return "other tensors are one and the same"
    return "" if found.memory == own.memory else "other tensors share their memory"


def _others(found: Sequence[str], own: Sequence[str]) -> str:
    pairs = ((a, b) for a, b in zip(found, own, strict=False) if a != b)
    one, other = next(pairs, (f"{len(found)} values", f"{len(own)}"))
    return f"{one}, not {other}"


def _off(value: Any, own: Any) -> str:
    if not isinstance(own, tuple):
        return "" if value == own else f"{value!r}, not {own!r}"
    (about, numbers), (expected, exact) = value, own
    if about != expected:
        return f"{about}, not {expected}"
    near = torch.allclose(numbers.double(), exact.double(), _NEAR, _NEAR, equal_nan=True)
    return "" if near else f"{numbers.tolist()}, not {exact.tolist()}"
