"""Functions, modules and classes of a snippet that it does not call: candidates for a program."""

import inspect
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from compiler_core.report import Candidate
from compiler_core.snippet.framework import names_in
from compiler_core.snippet.original import original
from compiler_core.snippet.signature import argument_names, takes
from compiler_core.snippet.source import FILE, Source
from compiler_core.snippet.tools import is_scripted

# What modules compute by, those of torch and those that are written after the fashion of Flax.
ENTRIES = ("forward", "__call__", "apply")
_NO_PROGRAM = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class Plain:
    """A function, a module, a callable object, or a class of such objects. `compiled`: whether the
    snippet passes it to torch.compile or jax.jit."""

    name: str
    line: int
    fn: Callable[..., Any]
    compiled: bool = False

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.fn)

    @property
    def called(self) -> Callable[..., Any]:
        """The function that the inputs are passed to; for a class, one that takes the object
        too."""
        fn: Any = self.fn
        return fn if inspect.isfunction(fn) else getattr(fn, entry(fn))

    def takes(self, count: int, named: Sequence[str] = ()) -> bool:
        """Whether it can be called with `count` positional arguments and the keyword arguments
        `named`."""
        return takes(self.called, count + 1 if self.is_class else count, named)

    @property
    def parameters(self) -> list[str]:
        names = argument_names(self.called)
        return names[1:] if self.is_class else names

    def candidate(self, inputs: str = "") -> Candidate:
        """Its entry in the report, with a guess at its inputs."""
        return Candidate(self.name, self.line, self.parameters, inputs)


def entry(value: Any) -> str:
    """The name of the method by which an object, or one of a class, is a program."""
    classes = (value if inspect.isclass(value) else type(value)).__mro__
    return next((n for n in ENTRIES if any(n in vars(c) for c in classes)), "__call__")


def plain_programs(source: Source, module: ModuleType) -> list[Plain]:
    """The candidates in the order of their lines, without names that begin with an underscore."""
    found: dict[int, Plain] = {}
    for name, value in module.__dict__.items():
        line = source.bindings.get(name)
        if line is None or name.startswith("_") or not _is_program(value):
            continue
        passed = original(value) is not value and not is_scripted(value)
        plain = Plain(name, line, original(value), passed)
        before = found.get(id(plain.fn))
        # A function and what is compiled of it are one program.
        if before is None or plain.compiled:
            found[id(plain.fn)] = plain
    return sorted(found.values(), key=lambda plain: plain.line)


def roots(plains: list[Plain]) -> list[Plain]:
    """Those that no other one names; only the compiled ones, if there are any."""
    compiled = [p for p in plains if p.compiled]
    named = {id(p): _named(p) for p in plains}
    own = [p for p in plains if not any(p.name in named[id(o)] for o in plains if o is not p)]
    instantiated = {type(p.fn) for p in plains}
    return compiled or [p for p in own if p.fn not in instantiated] or plains


def _named(plain: Plain) -> set[str]:
    """The names in the code of a function, or of all methods of a class."""
    fn = inspect.unwrap(plain.fn)
    if isinstance(fn, FunctionType):
        return set(names_in(fn.__code__))
    own = vars(fn if inspect.isclass(fn) else type(fn)).values()
    return {n for f in own if isinstance(f, FunctionType) for n in names_in(f.__code__)}


def _is_program(value: Any) -> bool:
    value = original(value)
    if isinstance(value, FunctionType):
        written = inspect.unwrap(value)
        own = isinstance(written, FunctionType) and written.__code__.co_filename == FILE
        return own and not written.__code__.co_flags & _NO_PROGRAM
    if inspect.isclass(value):
        return value.__module__ == "__main__" and _gives_programs(value)
    return _is_module(value) or _is_own_callable(value)


def _gives_programs(cls: Any) -> bool:
    """Whether objects of a class are programs: torch's modules with a forward, others by a method
    of their own."""
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(cls, torch.nn.Module):
        return cls.forward is not torch.nn.Module.forward
    return any(isinstance(vars(cls).get(name), FunctionType) for name in ENTRIES)


def _is_own_callable(value: Any) -> bool:
    cls = type(value)
    return cls.__module__ == "__main__" and isinstance(vars(cls).get("__call__"), FunctionType)


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)
