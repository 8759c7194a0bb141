"""Running a torch program on fake tensors and writing down every ATen operation it calls.

A dispatch mode sees operations below autograd and below composite functions, with the tensors
themselves: a tensor that no recorded operation made (a parameter, a buffer, a global) is one
that the program closes over. Nothing is computed and nothing is allocated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from compiler_core.snippet.source import Place, place

# What an output was when the operation returned: in-place operations change it later.
Made = tuple[torch.Tensor, torch.dtype, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Call:
    """One ATen operation. `args` are all its arguments in the order of its schema; `made` its
    tensor results, which are kept so that no later tensor can take their identity."""

    func: Any
    args: tuple[Any, ...]
    made: tuple[Made, ...]
    place: Place | None


@dataclass
class Trace:
    calls: list[Call] = field(default_factory=list)
    result: Any = None
    grad: bool = False


class Recorder(TorchDispatchMode):
    """Records the calls made while it is on."""

    def __init__(self, calls: list[Call]) -> None:
        super().__init__()
        self.calls = calls

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        made = tuple(_tensors(result))
        # Questions about a tensor (its device, its sizes) are no operations.
        if made and func.namespace != "prim":
            self.calls.append(Call(func, bind(func, args, kwargs), made, place(2)))
        return result


def _tensors(result: Any) -> list[Made]:
    values = result if isinstance(result, tuple | list) else (result,)
    return [(t, t.dtype, tuple(t.shape)) for t in values if isinstance(t, torch.Tensor)]


def bind(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """Every argument of the schema, defaults filled in."""
    rest = func._schema.arguments[len(args) :]
    return (*args, *(kwargs.get(a.name, a.default_value) for a in rest))


def trace(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any], mode: FakeTensorMode
) -> Trace:
    """What `fn` does to fake `args`: without autograd where it can do without."""
    try:
        return _trace(fn, args, kwargs, mode, grad=False)
    except RuntimeError as error:
        if not _wants_grad(error):
            raise
    return _trace(fn, args, kwargs, mode, grad=True)


def _wants_grad(error: RuntimeError) -> bool:
    text = str(error)
    return "does not require grad" in text or "does not have a grad_fn" in text


def _trace(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    mode: FakeTensorMode,
    grad: bool,
) -> Trace:
    made = Trace(grad=grad)
    with (
        torch.set_grad_enabled(grad),
        # On a thread of its own, a backward pass would show no frame of the snippet.
        torch.autograd.set_multithreading_enabled(False),
        # Attention as the mathematics that it is, not as one closed kernel.
        sdpa_kernel(SDPBackend.MATH),
        mode,
        Recorder(made.calls),
    ):
        made.result = fn(*args, **kwargs)
    return made
