"""One program with its arguments, whose result the framework itself says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from compiler_core.report import Framework
from conformance.breaks.programs import Broken
from conformance.graphs.programs import Random


@dataclass(frozen=True)
class Sample:
    """`fn(*args, **kwargs)`, of tensors of the framework and of other values. `only_types`: its
    values are uninitialised memory, and only shapes and types are compared. `wide`: JAX is told to
    have types of 64 bits. `knobs`: the seed of the compiler's choices, its own where it is None.
    `raises`: the framework has an error for it."""

    name: str
    framework: Framework
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    only_types: bool = False
    wide: bool = False
    knobs: int | None = None
    raises: bool = False


@dataclass(frozen=True)
class GraphSample:
    """A graph of the core's own, whose result numpy says, to be run by `runner` ("C", "Triton")
    with the compiler's choices of the seed `knobs`."""

    name: str
    program: Random
    runner: str
    knobs: int | None = None


@dataclass(frozen=True)
class FormulaSample:
    """One formula as both frameworks' program of the same arrays."""

    name: str
    torch: Sample
    jax: Sample


@dataclass(frozen=True)
class BreakSample:
    """A torch program of several graphs, called again and again, whose results and side effects
    Python itself says, to be run by `way` ("torch.compile", "dynamic", "explored")."""

    name: str
    program: Broken
    way: str


@dataclass(frozen=True)
class PastedSample:
    """A snippet's text, of which it is asked that its run ends well."""

    name: str
    text: str


@dataclass(frozen=True)
class Unit:
    """The samples of one entry of a database, in one variant: ("opinfo", "add", "forward f32")."""

    part: str
    entry: str
    variant: str
    # How many of its samples are run: 1 is all of them; the first always is.
    share: float = 1.0

    def __str__(self) -> str:
        return f"{self.part} {self.entry} {self.variant}"
