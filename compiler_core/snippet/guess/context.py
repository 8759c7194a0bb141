"""A guessed value of a parameter, and what is known besides the parameter."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType

from compiler_core.inputs import Value
from compiler_core.report import Framework
from compiler_core.snippet.guess.expressions import Path
from compiler_core.snippet.guess.hints import kind_of
from compiler_core.snippet.guess.layers import Layer
from compiler_core.snippet.guess.products import Products
from compiler_core.snippet.guess.usage import Usage


@dataclass(frozen=True)
class Option:
    """A value, and the reason for it, such as "name" or "annotation"."""

    value: Value
    why: str


@dataclass(frozen=True)
class Context:
    """What is known besides the parameter. `constructor`: it is a constructor's parameter; `inside`
    is the path of a value inside of the parameters; `code` is the function that has the parameter,
    if known; `siblings` are the names of the other parts of the same value. The program runs on
    `device`. `given` are the numbers that its class is constructed with."""

    framework: Framework
    module: ModuleType
    tree: ast.Module
    constructor: bool = False
    layers: Sequence[Layer] = ()
    usages: Mapping[str, Usage] = field(default_factory=dict)
    products: Products = field(default_factory=Products)
    einsums: Mapping[Path, tuple[int, ...]] = field(default_factory=dict)
    inside: Path = ()
    code: ast.AST | None = None
    siblings: tuple[str, ...] = ()
    device: str = "cpu"
    given: Mapping[str, int] = field(default_factory=dict)

    def kind(self, name: str) -> str | None:
        """The kind of tensor that the name of a parameter suggests, given the names of the
        others."""
        known = self.siblings if self.inside else tuple(self.usages)
        return kind_of(name, [n for n in known if n != name] if known else None)

    def within(self, name: str) -> "Context":
        """The context for what is inside of the value called `name`."""
        return replace(self, inside=(*self.inside, name))

    def bare(self) -> "Context":
        """The context for what is inside of other values: only its place is known and, in torch,
        the modules beside it."""
        layers = self.layers if self.framework == "torch" and not self.constructor else ()
        return replace(self, constructor=False, layers=layers, usages={}, code=None, given={})
