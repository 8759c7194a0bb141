"""What is guessed for a parameter, and what is known beside it."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from compiler_core.inputs import Value
from compiler_core.report import Framework
from compiler_core.snippet.guess.layers import Layer
from compiler_core.snippet.guess.usage import Usage


@dataclass(frozen=True)
class Option:
    """A value, and why it is one: "name", "annotation"."""

    value: Value
    why: str


@dataclass(frozen=True)
class Context:
    """What is known besides the parameter. `constructor`: it is a constructor's parameter."""

    framework: Framework
    module: ModuleType
    tree: ast.Module
    constructor: bool = False
    layers: Sequence[Layer] = ()
    usages: Mapping[str, Usage] = field(default_factory=dict)
