"""Where the elements of a convolution's window lie in the image and in the kernel, in C: a multiple
of the window's position, or a table with an entry for each position."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from compiler_core.codegen.c.expressions import scaled, wrapped
from compiler_core.codegen.writer import Writer
from compiler_core.plan.convolution import ConvolutionStep
from compiler_core.schedule.cpu.direct import Layout


def offset_tables(
    w: Writer, step: ConvolutionStep, layout: Layout, name: str, origins: Iterable[int]
) -> tuple[str, str]:
    """Expressions for the offsets at window position k in the image and in the kernel; writes the
    tables, named after `name`, that they read. Raises Undecided if the kernel's strides are a
    symbol's."""
    image = _table(w, f"{name}_image", list(layout.offsets()), origins)
    return image, _table(w, f"{name}_kernel", list(_of_kernel(step)), origins)


def _table(w: Writer, name: str, offsets: Sequence[int], origins: Iterable[int]) -> str:
    step = offsets[1] - offsets[0] if len(offsets) > 1 else 0
    if list(offsets) == [k * step for k in range(len(offsets))]:
        return scaled("k", step)
    w.line(f"static const int {name}[{len(offsets)}] = {{", origins)
    with w.indent():
        w.lines(*wrapped(offsets))
    w.lines("};", "")
    return f"{name}[k]"


def _of_kernel(step: ConvolutionStep) -> Iterator[int]:
    v, strides = step.sizes, step.rhs.steps
    for place in product(*map(range, v.window)):
        sides = zip(place, v.window, v.reversal, strides, strict=True)
        yield sum((size - 1 - k if turned else k) * along for k, size, turned, along in sides)
