"""Index arithmetic held against numpy: a moved index finds the element that numpy finds."""

import itertools
from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine

FACTORS = {1: (), 2: (2,), 3: (3,), 4: (2, 2), 5: (5,)}
SIZES = st.lists(st.integers(1, 5), min_size=0, max_size=4).map(tuple)


def identity(shape):
    extents = {f"a{i}": size for i, size in enumerate(shape)}
    index = tuple(
        Affine(((f"a{i}", 1),)) if size != 1 else affine.ZERO for i, size in enumerate(shape)
    )
    return index, extents


def at(expression, point):
    return expression.offset + sum(stride * point[axis] for axis, stride in expression.terms)


def points(extents):
    for values in itertools.product(*(range(e) for e in extents.values())):
        yield dict(zip(extents, values, strict=True))


@st.composite
def reshapes(draw):
    old = draw(SIZES)
    new, rest = [], draw(st.permutations([f for s in old for f in FACTORS[s]]))
    while rest:
        count = draw(st.integers(1, len(rest)))
        new.append(prod(rest[:count]))
        rest = rest[count:]
    return old, tuple(new)


@given(reshapes())
@settings(max_examples=200, deadline=None)
def test_an_affine_reshape_keeps_the_row_major_position(case):
    old, new = case
    assert prod(old) == prod(new)
    index, extents = identity(old)
    moved = affine.reshape(index, old, new, extents)
    if moved is None:
        return
    for point in points(extents):
        before = np.ravel_multi_index([at(p, point) for p in index], old) if old else 0
        after = np.ravel_multi_index([at(p, point) for p in moved], new) if new else 0
        assert before == after


def test_splitting_and_merging_whole_dimensions_is_always_affine():
    index, extents = identity((6, 4))
    assert affine.reshape(index, (6, 4), (24,), extents) is not None
    flat = (affine.linear(index, (6, 4)),)
    assert affine.reshape(flat, (24,), (6, 2, 2), {**extents}) is None
    assert affine.reshape(flat, (24,), (6, 4), extents) == index


@pytest.mark.parametrize(
    ("old", "new"),
    [((0, 1), (0,)), ((0,), (1, 0, 1)), ((1, 3, 1, 0), (3, 0, 1)), ((0, 1, 2), (0, 2))],
)
def test_dimensions_of_one_element_come_and_go_where_there_are_no_elements(old, new):
    """What walks the others still walks them."""
    index, extents = identity(old)
    assert affine.reshape(index, old, new, extents) == tuple(
        Affine(((f"a{old.index(size)}", 1),)) if size != 1 else affine.ZERO for size in new
    )


VIEWS = {
    "transpose": (lambda b, x: b.transpose(x, (2, 0, 1)), lambda a: a.transpose(2, 0, 1)),
    "slice": (
        lambda b, x: b.node("slice", x, start=(1, 0, 2), limit=(3, 2, 5), strides=(1, 1, 2)),
        lambda a: a[1:3, 0:2, 2:5:2],
    ),
    "reverse": (lambda b, x: b.node("reverse", x, dimensions=(0, 2)), lambda a: a[::-1, :, ::-1]),
    "reshape": (lambda b, x: b.reshape(x, (3, 1, 10)), lambda a: a.reshape(3, 1, 10)),
    "broadcast": (
        lambda b, x: b.broadcast_in_dim(x, (3, 4, 2, 5), (0, 2, 3)),
        lambda a: np.broadcast_to(a[:, None], (3, 4, 2, 5)),
    ),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_reads_what_numpy_reads(name):
    build, numpy_view = VIEWS[name]
    b = Builder()
    view = build(b, b.parameter(TensorType(F32, (3, 2, 5))))
    values = np.arange(30).reshape(3, 2, 5)
    index, extents = identity(view.type.shape)
    if name == "reshape":  # the merged dimension splits only along axes that it is made of
        index, extents = identity((3, 2, 5))
        index = affine.reshape(index, (3, 2, 5), (3, 1, 10), extents)
    moved = affine.operand_index(view, index, extents)
    expected = numpy_view(values)
    for point in points(extents):
        there = tuple(at(p, point) for p in moved)
        here = tuple(at(p, point) for p in index)
        assert values[there] == expected[here]


def test_bounds_are_reached():
    a = Affine((("a", 3), ("b", -2)), 5)
    extents = {"a": 4, "b": 6}
    seen = [at(a, p) for p in points(extents)]
    assert affine.bounds(a, extents) == (min(seen), max(seen))
