"""What a text of inputs says; each value prints as it is written."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core.inputs.specs import InputSpec


@dataclass(frozen=True)
class Literal:
    """A number, True, False, None or a text."""

    value: int | float | bool | str | None

    def __str__(self) -> str:
        return repr(self.value)


@dataclass(frozen=True)
class Named:
    """A name of the snippet, or of a module in it: `config`, `torch.float32`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Listed:
    """A list or a tuple, by its opening bracket."""

    items: tuple["Value", ...]
    bracket: str = "["

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.items))
        if self.bracket == "[":
            return f"[{inside}]"
        return f"({inside},)" if len(self.items) == 1 else f"({inside})"


@dataclass(frozen=True)
class Mapped:
    """A dict."""

    items: tuple[tuple[Literal, "Value"], ...]

    def __str__(self) -> str:
        return "{" + ", ".join(f"{key}: {value}" for key, value in self.items) + "}"


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call."""

    positional: tuple["Value", ...] = ()
    keywords: tuple[tuple[str, "Value"], ...] = ()

    def __str__(self) -> str:
        named = (f"{name}={value}" for name, value in self.keywords)
        return ", ".join((*map(str, self.positional), *named))

    @property
    def specs(self) -> tuple[InputSpec, ...]:
        """The specs of all tensors, also of those within other values."""
        values = (*self.positional, *(value for _, value in self.keywords))
        return tuple(spec for value in values for spec in _specs(value))


@dataclass(frozen=True)
class New:
    """An object that a class or function of the snippet returns: `Config(n_layer=2)`."""

    name: str
    arguments: Arguments

    def __str__(self) -> str:
        return f"{self.name}({self.arguments})"


@dataclass(frozen=True)
class Call:
    """A program with its inputs: `f32[4]` of the only program, `f(f32[4], 2)`, and for a class that
    is constructed first `Net(16)(f32[4,16])`."""

    inputs: Arguments
    name: str = ""
    constructor: Arguments | None = None

    def __str__(self) -> str:
        if not self.name:
            return str(self.inputs)
        constructed = "" if self.constructor is None else f"({self.constructor})"
        return f"{self.name}{constructed}({self.inputs})"


Value = InputSpec | Literal | Named | Listed | Mapped | New


def _specs(value: Value) -> Iterator[InputSpec]:
    match value:
        case InputSpec():
            yield value
        case Listed():
            yield from (spec for item in value.items for spec in _specs(item))
        case Mapped():
            yield from (spec for _, item in value.items for spec in _specs(item))
        case New():
            yield from value.arguments.specs
