"""Tiled transposition: a tile of a buffer that the innermost loop would read with a stride is
transposed into an array on the stack, where that loop reads it contiguously."""

from collections.abc import Iterator

from compiler_core.codegen.c.body import Body, Scope, affine
from compiler_core.codegen.c.types import loaded, register_type
from compiler_core.ir.sizes import is_multiple
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import Axis, Load
from compiler_core.schedule.cpu.schedule import Tile, register


def turn(body: Body, tile: Tile, across: Axis) -> None:
    """Writes, before the loops over the points of a tile, the transposition of each buffer in
    `tile.turned` into an array; `across` is the axis along which the buffers are contiguous."""
    last = body.kernel.parallel[-1]
    starts = {axis.name: f"{axis.name}_tile" for axis in (across, last)}
    columns, rows = _points(across, tile.down), _points(last, tile.along)
    for d in _turned(body, tile):
        terms = tuple((starts.get(a, a), s) for a, s in d.access.terms)
        first = affine(Affine(terms, d.access.offset), {})
        step, own = d.access.stride(last.name), f"{d.name}_turned"
        array = f"{own}[{tile.down * tile.along}] __attribute__((aligned(64)))"
        body.w.line(f"{register_type(d.dtype)} {array};", d.origins)
        given = f"&{d.buffer}[{first}], {step}"
        if register(d.dtype) is not d.dtype:
            given = _upcast(body, d, tile, (f"{step} * row + {first}", rows, columns))
        body.w.line(f"turn({given}, {own}, {tile.along}, {rows}, {columns});", d.origins)


def _upcast(body: Body, d: Load, tile: Tile, of: tuple[str, str, str]) -> str:
    """Converts a tile's rows, `of` so many of so many columns from a place on; what is turned
    then."""
    (place, rows, columns), upcast, kind = of, f"{d.name}_upcast", register_type(d.dtype)
    body.w.line(
        f"{kind} {upcast}[{tile.along * tile.down}] __attribute__((aligned(64)));", d.origins
    )
    with body.braces(f"for ({body.index} row = 0; row < {rows}; row++)"):
        body.pragma("simd")
        with body.braces(f"for ({body.index} i = 0; i < {columns}; i++)"):
            element = loaded(d.dtype, f"{d.buffer}[{place} + i]")
            body.w.line(f"{upcast}[{tile.down} * row + i] = {element};", d.origins)
    return f"{upcast}, {tile.down}"


def _points(axis: Axis, size: int) -> str:
    """How many of `axis` the present tile has."""
    whole = is_multiple(axis.extent, size)
    return str(size) if whole else f"{axis.name}_end - {axis.name}_tile"


def read(body: Body, tile: Tile, across: Axis, scope: Scope) -> None:
    """Defines, at a point of the tile, the values of the loads that were transposed by `turn`."""
    last = body.kernel.parallel[-1]
    place = f"{tile.along} * ({across.name} - {across.name}_tile) + {last.name} - {last.name}_tile"
    for d in _turned(body, tile):
        kind, text = register_type(d.dtype), f"{d.name}_turned[{place}]"
        body.w.line(f"{kind} {d.name} = {text};", d.origins)
        scope[d.name] = d.name


def _turned(body: Body, tile: Tile) -> Iterator[Load]:
    loads = (d for d in body.kernel.defs if isinstance(d, Load))
    return (d for d in loads if d.name in tile.turned)
