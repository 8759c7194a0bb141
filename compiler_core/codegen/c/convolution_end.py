"""What is done with the results of a convolution's tile, one row of positions at a time: they are
stored, or an elementwise kernel is computed on them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from math import prod

from compiler_core.codegen.c import types
from compiler_core.codegen.c.body import Body
from compiler_core.codegen.c.loops import write
from compiler_core.codegen.writer import Writer
from compiler_core.ir.convolution import Convolution
from compiler_core.ir.sizes import Dim, atom, product
from compiler_core.ir.types import DType
from compiler_core.kernel.fragment import Fragment
from compiler_core.kernel.kernel import Axis
from compiler_core.plan.fused_convolution import sides_of
from compiler_core.schedule.cpu.schedule import register

Origins = tuple[int, ...]
# The result at place j of feature f.
RESULT = "sum[f * places + j - first]"


def results(
    w: Writer,
    v: Convolution,
    pitches: Sequence[int],
    origins: Origins,
    inside: Callable[[], None],
    *,
    follows: bool,
) -> None:
    """Writes loops over the rows of positions in a tile, each with C variables: the row begins at
    position `row`, and the tile has its positions `low` to `high`. Where rows are contiguous
    (`follows`) they are a single one. `inside` writes the loops over features f and positions j."""
    if follows:
        w.line("const int row = 0, low = first, high = first + places;", origins)
        return inside()
    *outer, width = v.out
    with ExitStack() as open_:
        row: list[str] = []
        for d, (size, pitch) in enumerate(zip(outer, pitches, strict=False)):
            start = f"first / {pitch}" if d == 0 else "0"
            here = " + ".join([*row, f"y{d} * {pitch}"])
            header = f"for (int y{d} = {start}; y{d} < {size} && {here} < first + places; y{d}++)"
            open_.enter_context(_braces(w, header, origins))
            row.append(f"y{d} * {pitch}")
        w.line(f"int row = {' + '.join(row) or '0'}, end = row + {width};")
        w.line("int low = row > first ? row : first;")
        w.line("int high = end < first + places ? end : first + places;")
        inside()


def stored(w: Writer, out: Sequence[Dim], dtype: DType, origins: Origins, *, follows: bool) -> None:
    """Writes the loops that store the results of a tile; `out` has the strides [batch, feature,
    *spatial] of the destination, in elements."""
    _, feature, *steps, last = out
    place = "(j - row)" if last == 1 else f"(j - row) * {atom(last)}"
    at = [] if follows else [f"y{d} * {atom(step)}" for d, step in enumerate(steps)]
    w.line("for (int f = 0; f < features; f++)")
    with w.indent():
        w.line("#pragma omp simd")
        w.line("for (int j = low; j < high; j++)", origins)
        with w.indent():
            where = " + ".join([f"f * {atom(feature)}", *at, place])
            w.line(f"out[{where}] = {types.stored(dtype, RESULT)};", origins)


def is_linear(v: Convolution, fragment: Fragment | None) -> bool:
    """Whether the code after the sums may index the positions of a whole result by one linear
    number: the fragment has a single axis over all of them, or there is no fragment."""
    if fragment is None:
        return True
    sides = sides_of(v)
    axes = fragment.sides[2 if sides.features_first else 1]
    return len(sides.places) == v.rank and len(axes) == 1 and axes[0].extent == prod(v.out)


def ended(w: Writer, v: Convolution, fragment: Fragment, dtype: DType, *, follows: bool) -> None:
    """Writes the loops that compute the epilogue `fragment` on the results of a tile, which are
    rounded to `dtype` before: at image `n`, feature `feature` + f, and the positions of the row."""
    sides = sides_of(v)
    batch, rows, columns = fragment.sides
    features, places = (rows, columns) if sides.features_first else (columns, rows)
    sizes = (v.batch, *v.out)
    # The row's number among all rows of places.
    line = "0"
    for d in sides.places[:-1]:
        name = "n" if d == 0 else f"y{d - 1}"
        line = name if line == "0" else f"{_atom(line)} * {atom(sizes[d])} + {name}"
    body = Body(w, fragment.kernel)
    with _braces(w, "for (int f = 0; f < features; f++)", ()):
        _count(body, batch, "n")
        _count(body, features, "feature + f")
        whole = follows or (len(places) == 1 and places[0].extent != v.out[-1])
        if not whole:
            _count(body, places[:-1], line)
        w.line("#pragma omp simd")
        with _braces(w, "for (int j = low; j < high; j++)", fragment.kernel.origins):
            here = f"{_atom(line)} * {v.out[-1]} + j - row" if whole and not follows else "j - row"
            _count(body, places[-1:], here)
            rounded = types.convert(RESULT, register(dtype), dtype)
            scope = dict.fromkeys(fragment.product, rounded)
            write(body, fragment.kernel.effects, scope)


def _count(body: Body, axes: Sequence[Axis], linear: str) -> None:
    """Each of the axes that a linear index counts."""
    for i, axis in enumerate(axes):
        below = product(a.extent for a in axes[i + 1 :])
        text = linear if below == 1 else f"{_atom(linear)} / {atom(below)}"
        text = text if i == 0 else f"{_atom(text)} % {atom(axis.extent)}"
        body.w.line(f"{body.index} {axis.name} = {text};")


def _atom(text: str) -> str:
    return f"({text})" if " " in text else text


@contextmanager
def _braces(w: Writer, header: str, origins: Origins) -> Iterator[None]:
    w.line(f"{header} {{", origins)
    with w.indent():
        yield
    w.line("}")
