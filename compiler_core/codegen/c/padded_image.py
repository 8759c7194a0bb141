"""The padded copy of a convolution's image, rearranged by the strides, in C.

Each channel becomes one plane for each combination of remainders modulo the strides, so that the
elements that a window position reads for neighbouring results are adjacent. A few planes are
printed one by one, many as loops over those with the same bounds.
"""

from dataclasses import dataclass
from itertools import product
from math import prod

from compiler_core.codegen.c.expressions import joined, plus, scaled
from compiler_core.codegen.c.marks import unmarked
from compiler_core.codegen.c.types import loaded, memory_type, register_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import atom, symbols
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.schedule.cpu.direct import Layout
from compiler_core.schedule.cpu.schedule import register


def copy_image(w: Writer, step: ConvolutionStep, layout: Layout, *, marks: bool = False) -> None:
    """Writes the copy of `lhs` to `image`: each channel's planes are set to zero, then elements are
    written over them. With `marks`, sentinels (marks.py) take the place of zeros where the C
    variable `marks` is not 0, and NaNs among the elements get other bits than the sentinel's."""
    v, lhs, kind = step.sizes, step.lhs, register_type(step.dtype)
    channels = v.groups * v.channels
    planes = v.batch * channels
    counter = "long" if symbols(planes) else "int"
    w.line(f"for ({counter} c = 0; c < {planes}; c++) {{", step.origins)
    with w.indent():
        batch, channel = lhs.strides[:2]
        at = [str(lhs.offset)] * (lhs.offset != 0)
        at += [f"(long)(c / {atom(channels)}) * {atom(batch)}"] * bool(batch)
        at += [f"(long)(c % {atom(channels)}) * {atom(channel)}"] * bool(channel)
        w.line(f"const {memory_type(step.dtype)} *from = {' + '.join(['lhs', *at])};")
        w.line(f"{kind} *to = image + (long)c * {layout.channel};")
        size = f"{layout.channel} * sizeof({kind})"
        w.line(f"__builtin_memset(to, {'marks ? -1 : 0' if marks else '0'}, {size});")
        for runs in product(*(_runs(step, layout, d) for d in range(v.rank))):
            _planes(w, step, layout, runs, marks)
    w.line("}")


def upcast_place(layout: Layout) -> str:
    """The C address of the 16-bit weights in f32, behind the copy of the image, which is in f32 as
    well. They are converted once because each tile reads them again."""
    return f"image + {layout.copied}"


def upcast_weights(w: Writer, step: ConvolutionStep, layout: Layout) -> None:
    """Writes the conversion of the weights to f32, to `upcast_place`."""
    w.line(f"for (long i = 0; i < {step.rhs.buffer.type.elements}; i++)", step.origins)
    with w.indent():
        weight = loaded(step.dtype, "rhs[i]")
        w.line(f"({upcast_place(layout)})[i] = {weight};", step.origins)


# The most planes that are printed one by one: 16 x 16 remainders would take 768 lines.
_MOST_TEXTS = 16


@dataclass(frozen=True)
class _Run:
    """Remainders along a dimension that follow each other, `number` of them from the `first` on,
    whose elements have the same bounds."""

    first: int
    number: int
    bounds: tuple[int, int]


def _runs(step: ConvolutionStep, layout: Layout, d: int) -> list[_Run]:
    phases, found = layout.phases[d], list[_Run]()
    together = prod(map(len, layout.phases)) > _MOST_TEXTS
    for i, remainder in enumerate(phases):
        bounds, last = _bounds(step, layout, d, remainder), found[-1] if found else None
        if together and last and last.bounds == bounds and phases[i - 1] + 1 == remainder:
            found[-1] = _Run(last.first, last.number + 1, bounds)
        else:
            found.append(_Run(i, 1, bounds))
    return found


def _planes(
    w: Writer, step: ConvolutionStep, layout: Layout, runs: tuple[_Run, ...], marks: bool
) -> None:
    """The elements whose places have these remainders by the strides."""
    around, loops, start, to, source = list[str](), list[str](), 0, list[str](), list[str]()
    for d, run in enumerate(runs):
        along = layout.plane * prod(map(len, layout.phases[d + 1 :]))
        if run.number > 1:
            around.append(_loop(f"r{d}", run.first, run.first + run.number))
            to.append(scaled(f"r{d}", along))
        else:
            start += run.first * along
        loops.append(_loop(f"x{d}", *run.bounds))
        element, place = _along(step, layout, d, run)
        to.append(scaled(place, layout.pitches[d]))
        source.append(scaled(element, step.lhs.strides[2 + d]))
    for depth, header in enumerate([*around, *loops]):
        w.line("    " * depth + header)
    element = loaded(step.dtype, f"from[{joined(*source)}]")
    if marks:
        element = unmarked(element, register(step.dtype))
    text = f"to[{joined(str(start) * bool(start), *to)}] = {element};"
    w.line("    " * (len(around) + len(loops)) + text, step.origins)


def _loop(name: str, low: int, high: int) -> str:
    return f"for (int {name} = {low}; {name} < {high}; {name}++)"


def _bounds(step: ConvolutionStep, layout: Layout, d: int, remainder: int) -> tuple[int, int]:
    """The ends of the loop along dimension `d`."""
    v, extent = step.sizes, layout.extents[d]
    gap, low, size, stride = v.lhs_dilation[d], v.low[d], v.size[d], v.strides[d]
    if gap > 1:
        # Elements x with 0 <= x * gap + low < extent.
        return max(0, -(low // gap)), min(size, -(-(extent - low) // gap))
    # Places x with 0 <= x * stride + remainder - low < size.
    first = max(0, -(-(low - remainder) // stride))
    return first, min(extent, -(-(size + low - remainder) // stride))


def _along(step: ConvolutionStep, layout: Layout, d: int, run: _Run) -> tuple[str, str]:
    """The image's element along dimension `d`, and the plane's place."""
    v, name = step.sizes, f"x{d}"
    gap, low, stride = v.lhs_dilation[d], v.low[d], v.strides[d]
    if gap > 1:
        return name, plus(f"{name} * {gap}", low)
    # Within a run, remainders and their numbers are equally far apart.
    other = run.first if run.number > 1 else 0
    element = joined(scaled(name, stride), f"r{d}" * (run.number > 1))
    return plus(element, layout.phases[d][run.first] - other - low), name
