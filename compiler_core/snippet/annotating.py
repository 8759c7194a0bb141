"""Stand-ins for packages that only annotate: where one is not installed, the names that a snippet
imports from it are defined here, so that its annotations can be read. They are not checked."""

import contextlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.source import Source

_DTYPES = (
    "Float", "Float16", "BFloat16", "Float32", "Float64", "Int", "Int8", "Int16", "Int32", "Int64",
    "Integer", "UInt", "UInt8", "UInt16", "UInt32", "Bool", "Key", "Shaped", "Num", "Real",
    "Inexact", "Complex", "Complex64",
)  # fmt: skip


@dataclass(frozen=True)
class Annotated:
    """`Float[Tensor, "batch dim"]`, with the attributes that jaxtyping's own have."""

    dtype: type
    array_type: Any
    dim_str: str

    @property
    def dtypes(self) -> tuple[str, ...]:
        return (self.dtype.__name__.lower(),)

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__


def _dtype(name: str) -> type:
    def of(cls: type, item: Any) -> Any:
        array, dims = item if isinstance(item, tuple) else (item, "...")
        return Annotated(cls, array, dims)

    return type(name, (), {"__class_getitem__": classmethod(of)})


def _unchanged(*args: Any, **_: Any) -> Any:
    """A decorator, with or without arguments, that returns what it decorates."""
    return args[0] if len(args) == 1 and callable(args[0]) else lambda decorated: decorated


def _jaxtyping() -> dict[str, Any]:
    jax = sys.modules.get("jax")
    trees = {"Array": getattr(jax, "Array", Any), "ArrayLike": Any, "PyTree": _dtype("PyTree")}
    key = Annotated(_dtype("Key"), trees["Array"], "")
    return {n: _dtype(n) for n in _DTYPES} | trees | {"jaxtyped": _unchanged, "PRNGKeyArray": key}


_CONTENTS: dict[str, Callable[[], dict[str, Any]]] = {
    "jaxtyping": _jaxtyping,
    "beartype": lambda: {"beartype": _unchanged},
    "typeguard": lambda: {"typechecked": _unchanged},
}


def is_readable(name: str) -> bool:
    """Whether the package of a dotted name is one of these."""
    return name.partition(".")[0] in _CONTENTS


@contextlib.contextmanager
def readable(source: Source, emit: Emit) -> Iterator[None]:
    """Context in which a snippet can import such packages, as far as it names them and they are not
    installed."""
    added: list[str] = []
    for name, contents in _CONTENTS.items():
        if name in source.text and importlib.util.find_spec(name) is None:
            module = ModuleType(name)
            module.__dict__.update(contents())
            sys.modules[name] = module
            added.append(name)
            notice(emit, f"{name} is not installed here: its annotations are read and not checked")
    try:
        yield
    finally:
        for name in added:
            sys.modules.pop(name, None)
