"""What each compiler made of the whole program in numbers, one row for each compiler."""

import msgspec
from msgspec import field


class Figure(msgspec.Struct, frozen=True):
    """A count or a number of bytes; where it is None, `why` says why it is not known, or why there
    is none."""

    value: int | None = None
    why: str = ""


class Phase(msgspec.Struct, frozen=True):
    """A part of the compilation, in milliseconds; those of one compiler do not overlap."""

    name: str
    ms: float


UNASKED = Figure(why="not looked for")
# The graph breaks of a compiler that torch.compile calls, unless there is a look into TorchDynamo.
BY_DYNAMO = Figure(why="counted by TorchDynamo: tick it under Look inside")

_IN_A_LOOK = "counted only in a look inside"


def in_a_look(rest: str) -> Figure:
    """The figure for a count that only a look into the compiler gives, before there was one; `rest`
    is added to the reason."""
    return Figure(why=_IN_A_LOOK + rest)


class CompilerSummary(msgspec.Struct, frozen=True):
    """What one compiler made of the program for the device that it ran on. The times of calls and
    of the whole compilation are in the program's `timings`, and the errors in its `numerics`."""

    compiler: str
    # The graphs that the program was compiled as, and the graph breaks between them.
    graphs: Figure = UNASKED
    breaks: Figure = UNASKED
    # Different generated kernels; launches in a call, library calls included; of these the library
    # calls. A launch within a loop counts once, except with the core and eager.
    kernels: Figure = UNASKED
    launches: Figure = UNASKED
    library_calls: Figure = UNASKED
    # Bytes that the launches of a call read and write.
    bytes: Figure = UNASKED
    # The most bytes that are allocated at once in a call, with results and without inputs.
    peak_bytes: Figure = UNASKED
    phases: list[Phase] = field(default_factory=list)


FIGURES = ("graphs", "breaks", "kernels", "launches", "library_calls", "bytes", "peak_bytes")


def joined(known: CompilerSummary, new: CompilerSummary) -> CompilerSummary:
    """One summary of two; where both have a figure, or phases, it has those of `new`."""
    figures = {name: _of(getattr(known, name), getattr(new, name)) for name in FIGURES}
    return msgspec.structs.replace(known, **figures, phases=new.phases or known.phases)


def _of(known: Figure, new: Figure) -> Figure:
    """A figure is better than a reason, and a reason than a pointer to who may have one."""
    return known if _precedence(known) > _precedence(new) else new


def _precedence(figure: Figure) -> int:
    if figure.value is not None:
        return 3
    if figure == UNASKED:
        return 0
    return 1 if figure.why.startswith(_IN_A_LOOK) else 2
