"""A program in the form that torch.compile takes: a torch program as its author wrote it, a JAX
program as the torch calls that its graph means."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from compiler_core.capture.captured import Captured
from compiler_core.interop import arrays
from compiler_core.ir import eval_torch
from compiler_core.reference.inductor.placed import place
from compiler_core.reference.result import title_of
from compiler_core.report import Framework

NAME = title_of("inductor")


@dataclass(frozen=True)
class Bound:
    """What is compiled, and how flat inputs become its arguments."""

    function: Callable[..., Any]
    prepare: Callable[[Any], Any]
    call: Callable[[Callable[..., Any], Any], Any]


def bind(captured: Captured, framework: Framework) -> Bound | str:
    """What torch.compile is given; or why it cannot be, in one sentence."""
    if framework == "jax":
        return eval_torch.refusal(captured.graph, NAME) or _bound_jax(captured)
    return _bound_writing(captured) if captured.written else _bound_torch(captured)


def _bound_writing(captured: Captured) -> Bound:
    """Each call has copies of what it writes into, and gives their new values, as eager does."""
    by = captured.by
    assert by is not None, "a program that writes into its inputs was traced by torch"
    return Bound(captured.native, tuple, by)


def _bound_torch(captured: Captured) -> Bound:
    return Bound(captured.native, captured.call, lambda f, given: f(*given[0], **given[1]))


def _bound_jax(captured: Captured) -> Bound:
    module = eval_torch.function(captured.graph)
    place(module, captured.nodes)
    return Bound(module, arrays.to_torch_all, lambda f, given: f(*given))
