"""Functions and modules of a snippet that it does not call: candidates for a program."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from compiler_core.report import Candidate
from compiler_core.snippet.signature import argument_names, takes
from compiler_core.snippet.source import FILE, Source

_MATRIX, _VECTOR = "f32[512,512]", "f32[512]"
# Names that people give to what has one element a column.
_VECTORS = frozenset(("b", "bias", "beta", "gamma", "scale", "shift", "weight", "eps"))


@dataclass(frozen=True)
class Plain:
    """A function, a module, or a module class whose constructor needs no arguments."""

    name: str
    line: int
    fn: Callable[..., Any]

    def takes(self, count: int) -> bool:
        # An unbound forward takes the object too.
        """Whether it can be called with `count` positional arguments."""
        return takes(self._called, count + 1 if _is_module_class(self.fn) else count)

    @property
    def _called(self) -> Callable[..., Any]:
        fn: Any = self.fn
        return fn.forward if _is_module_class(fn) else fn

    @property
    def parameters(self) -> list[str]:
        names = argument_names(self._called)
        return names[1:] if _is_module_class(self.fn) else names

    def callable(self) -> Callable[..., Any]:
        """What is compiled: the function, the module, or an instance of the class."""
        return self.fn() if _is_module_class(self.fn) else self.fn

    def candidate(self) -> Candidate:
        """The report's entry, with a guess at its inputs."""
        return Candidate(self.name, self.line, self.parameters, self._guess())

    def _guess(self) -> str:
        """Square matrices fit most things; a name that says vector gets one."""
        required = [p for p in self.parameters if self._is_required(p)]
        return ", ".join(
            _VECTOR if p in _VECTORS and i else _MATRIX for i, p in enumerate(required)
        )

    def _is_required(self, name: str) -> bool:
        parameter = inspect.signature(self._called).parameters[name]
        return parameter.default is parameter.empty


def plain_programs(source: Source, module: ModuleType) -> list[Plain]:
    """The candidates in the order of their lines, without names that begin with an underscore."""
    found = []
    for name, value in module.__dict__.items():
        line = source.bindings.get(name)
        if line is not None and not name.startswith("_") and _is_program(value):
            found.append(Plain(name, line, _original(value)))
    return sorted(found, key=lambda plain: plain.line)


def _original(value: Any) -> Any:
    return getattr(value, "fuselab_original", value)


def _is_program(value: Any) -> bool:
    value = _original(value)
    if isinstance(value, FunctionType):
        written = inspect.unwrap(value)
        return isinstance(written, FunctionType) and written.__code__.co_filename == FILE
    if _is_module_class(value):
        return value.__module__ == "__main__" and _needs_nothing(value)
    return _is_module(value)


def _needs_nothing(module_class: Any) -> bool:
    parameters = inspect.signature(module_class).parameters.values()
    return all(
        p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters
    )


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _is_module_class(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and inspect.isclass(value) and issubclass(value, torch.nn.Module)
