"""A program found in a snippet: something to call, and what to call it with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from compiler_core.report import Framework


@dataclass(frozen=True)
class FoundProgram:
    """`fn` is the plain function or nn.Module, not the compiled wrapper; `args` and `kwargs` are
    the arguments of its first call: tensors or arrays on the device where it will run."""

    name: str
    framework: Framework
    line: int | None
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    # jax.jit's static arguments, by position and by name.
    static_argnums: tuple[int, ...] = ()
    static_argnames: tuple[str, ...] = ()
