"""The copy of an image with its padding, by the strides of a convolution, in C.

Each channel becomes one plane for each combination of remainders by the strides, so that the
elements that a window's place reads for neighbouring results are neighbours.
"""

from itertools import product

from compiler_core.codegen.c.expressions import joined, plus, scaled
from compiler_core.codegen.c.marks import unmarked
from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Writer
from compiler_core.ir.sizes import atom, symbols
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.schedule.direct import Layout


def copy_image(w: Writer, step: ConvolutionStep, layout: Layout, *, marks: bool = False) -> None:
    """Zeros each channel's planes of `image` and writes the elements of `lhs` over them. With
    `marks`, they are not zeros but marks where the variable of that name is not 0, and no element
    is one."""
    v, lhs, kind = step.sizes, step.lhs, memory_type(step.dtype)
    channels = v.groups * v.channels
    planes = v.batch * channels
    counter = "long" if symbols(planes) else "int"
    w.line(f"for ({counter} c = 0; c < {planes}; c++) {{", step.origins)
    with w.indent():
        batch, channel = lhs.strides[:2]
        at = [str(lhs.offset)] * (lhs.offset != 0)
        at += [f"(long)(c / {atom(channels)}) * {atom(batch)}"] * bool(batch)
        at += [f"(long)(c % {atom(channels)}) * {atom(channel)}"] * bool(channel)
        w.line(f"const {kind} *from = {' + '.join(['lhs', *at])};")
        w.line(f"{kind} *to = image + (long)c * {layout.channel};")
        size = f"{layout.channel} * sizeof({kind})"
        w.line(f"__builtin_memset(to, {'marks ? -1 : 0' if marks else '0'}, {size});")
        for number, phase in enumerate(product(*layout.phases)):
            _plane(w, step, layout, number * layout.plane, phase, marks)
    w.line("}")


def _plane(
    w: Writer,
    step: ConvolutionStep,
    layout: Layout,
    start: int,
    phase: tuple[int, ...],
    marks: bool,
) -> None:
    """The elements whose places have these remainders by the strides."""
    to, source, loops = [str(start)] * bool(start), [], []
    for d, remainder in enumerate(phase):
        low, high, element, place = _along(step, layout, d, remainder)
        loops.append(f"for (int x{d} = {low}; x{d} < {high}; x{d}++)")
        to.append(scaled(place, layout.pitches[d]))
        source.append(scaled(element, step.lhs.strides[2 + d]))
    for depth, header in enumerate(loops):
        w.line("    " * depth + header)
    element = f"from[{joined(*source)}]"
    if marks:
        element = unmarked(element, step.dtype)
    text = f"to[{joined(*to)}] = {element};"
    w.line("    " * step.sizes.rank + text, step.origins)


def _along(
    step: ConvolutionStep, layout: Layout, d: int, remainder: int
) -> tuple[int, int, str, str]:
    """The loop along dimension `d`: its ends, the image's element and the plane's place."""
    v, extent, name = step.sizes, layout.extents[d], f"x{d}"
    gap, low, size, stride = v.lhs_dilation[d], v.low[d], v.size[d], v.strides[d]
    if gap > 1:
        # Elements x with 0 <= x * gap + low < extent.
        first, end = max(0, -(low // gap)), min(size, -(-(extent - low) // gap))
        return first, end, name, plus(f"{name} * {gap}", low)
    # Places x with 0 <= x * stride + remainder - low < size.
    first = max(0, -(-(low - remainder) // stride))
    end = min(extent, -(-(size + low - remainder) // stride))
    element = name if stride == 1 else f"{name} * {stride}"
    return first, end, plus(element, remainder - low), name
