"""Kernels over other axes, and a producer's definitions in the place of a load."""

from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.inline import inlined, places
from compiler_core.kernel.kernel import Axis, BufferParam, Compute, Kernel, Load
from compiler_core.kernel.text import lines


def buffer(name: str, role: str, *shape: int) -> BufferParam:
    return BufferParam(name, TensorType(F32, shape), role)


def at(**strides: int) -> Affine:
    return Affine(tuple(strides.items()))


def axes(**extents: int) -> tuple[Axis, ...]:
    return tuple(Axis(name, extent, "parallel") for name, extent in extents.items())


# y[i, j] = -x[j, i]
NEGATED = Kernel(
    "negated", "elementwise", axes(i0=4, i1=3),
    (buffer("x", "in", 3, 4), buffer("y", "out", 4, 3)),
    (Load("v0", F32, "x", at(i0=1, i1=4)), Compute("v1", F32, "negate", ("v0",), (7,))),
    (Phase((Store("y", at(i0=3, i1=1), "v1"),)),),
)  # fmt: skip


def reading(access: Affine, **extents: int) -> Kernel:
    return Kernel(
        "reading", "elementwise", axes(**extents), (buffer("y", "in", 4, 3),),
        (Load("v0", F32, "y", access), Compute("v1", F32, "exponential", ("v0",))),
        (Phase((Store("tile", Affine(), "v1"),)),),
    )  # fmt: skip


def test_a_load_becomes_what_its_producer_computes_there():
    result = inlined(reading(at(row=3, d=1), row=4, d=3), "y", NEGATED)
    assert result is not None
    text = [line.strip() for line, _ in lines(result)]
    assert "v0_v0: f32 = load x[4*d + row]" in text
    assert "v0: f32 = negate v0_v0" in text
    assert [b.name for b in result.inputs] == ["x"]


def test_what_is_inlined_keeps_its_origins():
    result = inlined(reading(at(row=3, d=1), row=4, d=3), "y", NEGATED)
    assert result is not None and result.definitions["v0"].origins == (7,)


def test_an_axis_that_crosses_the_producers_rows_is_refused():
    assert inlined(reading(at(row=1), row=12), "y", NEGATED) is None


def test_the_point_of_a_loop_follows_from_its_place_in_memory():
    extents = {"row": 4, "d": 3}
    moves = places(at(i0=3, i1=1), axes(i0=4, i1=3), at(row=3, d=1), extents)
    assert moves == {"i0": at(row=1), "i1": at(d=1)}


def test_memory_with_holes_tells_no_point():
    assert places(at(i0=4, i1=1), axes(i0=4, i1=3), at(row=4, d=1), {"row": 4, "d": 3}) is None
