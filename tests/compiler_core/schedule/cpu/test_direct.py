"""The layout that a direct convolution reads, position by position, and what it refuses."""

from itertools import product
from math import prod

import numpy as np
import pytest

from compiler_core.ir.convolution import convolution_of
from compiler_core.ir.types import F32
from compiler_core.schedule.cpu.direct import FEATURES, SUMS, Layout, computed, refusal, tiles
from conformance.operations import cases_convolution


def sizes_of(name):
    graph = cases_convolution.case(name, F32).graph
    return convolution_of(next(o for o in graph.walk() if o.op == "convolution"))


def copied(layout):
    """One channel's planes as the copy has them; elements are numbered from 1 in the padded image,
    and 0 is none of it."""
    v = layout.sizes
    padded = np.arange(1, prod(v.padded) + 1).reshape(v.padded)
    planes = []
    for phase in product(*layout.phases):
        every = zip(phase, v.strides, layout.extents, strict=True)
        part = padded[tuple(slice(p, p + s * n, s) for p, s, n in every)]
        plane = np.zeros(layout.extents, int)
        plane[tuple(map(slice, part.shape))] = part
        planes.append(plane.reshape(-1))
    return padded, np.concatenate(planes)


@pytest.mark.parametrize("name", cases_convolution.NUMBERS)
def test_every_place_of_the_window_is_read_at_its_offset(name):
    v = sizes_of(name)
    if refusal(v):
        return
    layout = Layout(v)
    padded, copy = copied(layout)
    assert len(copy) == layout.channel
    places = product(*map(range, v.window))
    for place, offset in zip(places, layout.offsets(), strict=True):
        for out in np.ndindex(*v.out):
            at = offset + sum(y * pitch for y, pitch in zip(out, layout.pitches, strict=True))
            every = zip(out, v.strides, place, v.rhs_dilation, strict=True)
            assert copy[at] == padded[tuple(y * s + k * d for y, s, k, d in every)]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("plain", ""),
        ("volume", ""),
        ("no-window", "0 spatial dimensions, and loops are generated for 1 to 3"),
        ("empty", "a size of the convolution is 0, so there is nothing to sum"),
        ("gaps", "the image has gaps and the windows strides, which no generated loops combine"),
    ],
)
def test_what_cannot_be_run_so_says_why(name, reason):
    assert refusal(sizes_of(name)) == reason


@pytest.mark.parametrize(("name", "in_place"), [("plain", True), ("padded", False)])
def test_an_image_without_padding_is_read_in_place(name, in_place):
    v = sizes_of(name)
    dense = tuple(prod(v.size[d + 1 :]) for d in range(v.rank))
    assert Layout(v).reads_in_place(dense) is in_place


@pytest.mark.parametrize("name", cases_convolution.NUMBERS)
def test_a_tile_fits_in_registers_and_all_tiles_cover_the_result(name):
    v = sizes_of(name)
    if refusal(v):
        return
    features, places = tiles(v)
    assert 1 <= features <= FEATURES and 1 <= features * places <= SUMS
    assert computed(v) >= v.elements * v.terms
