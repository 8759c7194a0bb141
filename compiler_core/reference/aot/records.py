"""What AOTAutograd did with one of TorchDynamo's graphs, as plain values."""

from dataclasses import dataclass, field

from compiler_core.reference.fx_text import Line
from compiler_core.reference.origins import Origin


@dataclass(frozen=True)
class Kept:
    """A value that the forward graph saves for the backward graph. `given`: it is an input or a
    parameter. `of` names the value, or the input, whose memory it is a view of; its bytes are
    counted there."""

    name: str
    op: str
    type: str
    bytes: int
    why: str
    given: bool
    of: str = ""
    origin: Origin | None = None


@dataclass(frozen=True)
class Again:
    """A value of the forward graph that the backward graph recomputes."""

    name: str
    op: str
    type: str
    bytes: int
    why: str
    origin: Origin | None = None


@dataclass(frozen=True)
class Write:
    """An in-place operation of the program, or an input that the program writes to, and what it
    became."""

    what: str
    became: str
    origin: Origin | None = None


@dataclass
class Divided:
    """A graph of Dynamo's. `joint`, `forward` and `backward` are empty where no gradient is
    recorded, `inference` where one is."""

    writes: list[Write] = field(default_factory=list)
    joint: list[Line] = field(default_factory=list)
    forward: list[Line] = field(default_factory=list)
    backward: list[Line] = field(default_factory=list)
    inference: list[Line] = field(default_factory=list)
    kept: list[Kept] = field(default_factory=list)
    again: list[Again] = field(default_factory=list)

    @property
    def stored_bytes(self) -> int:
        """Bytes that live until the backward pass only for its sake, without inputs and parameters,
        which live anyway."""
        return sum(k.bytes for k in self.kept if not k.given and not k.of)
