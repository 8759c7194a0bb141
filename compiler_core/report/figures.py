"""What each compiler made of the whole program, as numbers: one row a compiler."""

import msgspec
from msgspec import field


class Figure(msgspec.Struct, frozen=True):
    """A number; where it is None, why it is not known, or what there is none of."""

    value: int | None = None
    why: str = ""


class Phase(msgspec.Struct, frozen=True):
    """A part of compiling, in milliseconds; phases of one compiler do not overlap."""

    name: str
    ms: float


UNASKED = Figure(why="not looked for")


class CompilerSummary(msgspec.Struct, frozen=True):
    """What one compiler made of the program on the device that it ran on. Times of calls, of
    compiling as a whole and errors are in the program's `timings` and `numerics`."""

    compiler: str
    # The pieces that the program was compiled as, and the places where Python goes on between.
    graphs: Figure = UNASKED
    breaks: Figure = UNASKED
    # Different generated kernels; what is launched in a call, library calls among it; of these the
    # library calls. What is in a loop counts once for others than the core and eager.
    kernels: Figure = UNASKED
    launches: Figure = UNASKED
    library_calls: Figure = UNASKED
    # Read and written by launches in a call.
    bytes: Figure = UNASKED
    # Held at once in a call, results included and inputs not.
    peak_bytes: Figure = UNASKED
    phases: list[Phase] = field(default_factory=list)


FIGURES = ("graphs", "breaks", "kernels", "launches", "library_calls", "bytes", "peak_bytes")


def joined(known: CompilerSummary, new: CompilerSummary) -> CompilerSummary:
    """Both; of a figure that both have, and of the phases, the `new` one's."""
    told = {name: getattr(new, name) for name in FIGURES}
    changes = {
        name: figure
        for name, figure in told.items()
        if figure.value is not None or (getattr(known, name).value is None and figure != UNASKED)
    }
    return msgspec.structs.replace(known, **changes, phases=new.phases or known.phases)
