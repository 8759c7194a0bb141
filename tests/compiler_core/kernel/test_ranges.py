"""Where masks change, and what is left of a kernel between two such places."""

from dataclasses import replace

import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.types import BOOL, F32
from compiler_core.kernel.kernel import Compute, Load
from compiler_core.kernel.ranges import conjunction, parts, specialise
from compiler_core.kernel.shares import shares
from tests.compiler_core.codegen.c.graphs import kernels_of, tensor_type


def shifted(shape, dimension, low, high):
    """x, padded at both ends of one dimension."""
    b = Builder()
    x = b.parameter(tensor_type(shape))
    before, after = ([n * (i == dimension) for i in range(len(shape))] for n in (low, high))
    result = b.node("pad", x, b.scalar(0.5, F32), low=before, high=after, interior=[0] * len(shape))
    (kernel,) = kernels_of(b.graph("shifted", [result]))
    return kernel


def loads(kernel):
    needed = kernel.needed([e.value for e in kernel.effects])
    return [d for d in needed if isinstance(d, Load)]


def test_an_axis_is_cut_where_a_mask_of_it_alone_changes():
    kernel = shifted((10, 4), 0, 2, 3)
    assert parts(kernel, "i0") == ((0, 2), (2, 12), (12, 15))
    assert parts(kernel, "i1") == ((0, 4),)


def test_between_the_cuts_nothing_is_masked():
    kernel = shifted((10, 4), 1, 2, 3)
    middle, edge = (specialise(kernel, {"i1": r}) for r in ((2, 6), (6, 9)))
    assert [d.mask for d in loads(kernel)] != [None]
    assert [d.mask for d in loads(middle)] == [None]
    assert loads(edge) == []


def test_a_part_that_a_cut_goes_through_keeps_its_mask():
    kernel = shifted((10, 4), 1, 2, 3)
    assert all(d.mask for d in loads(specialise(kernel, {"i1": (1, 6)})))


def test_a_conjunction_with_itself_is_taken_apart_once():
    """Taken apart once for each reader, 200 of them would never end."""
    kernel = shifted((10, 4), 0, 2, 3)
    (mask,) = (d.mask for d in loads(kernel) if d.mask)
    tests, defs = conjunction(kernel, mask), list(kernel.defs)
    for i in range(200):
        defs.append(Compute(f"twice{i}", BOOL, "and", (mask, mask)))
        mask = f"twice{i}"
    assert tests and conjunction(replace(kernel, defs=tuple(defs)), mask) == tests


def together(count, along=1):
    """So many matrices beside each other, of growing sizes, and what each begins at."""
    b = Builder()
    each = [b.parameter(tensor_type([4, i + 1][:: 1 if along else -1])) for i in range(count)]
    (kernel,) = kernels_of(b.graph("together", [b.node("concatenate", *each, dimension=along)]))
    return kernel


def test_of_what_is_put_together_each_point_computes_its_own_part():
    kernel = together(4)
    share = shares(kernel, kernel.parallel)
    assert sum(share[d.name] for d in loads(kernel)) == pytest.approx(1, abs=0.2)
    assert not any(share[d.name] for d in kernel.defs if isinstance(d, Compute))
    assert shares(kernel, kernel.parallel[:1]) == dict.fromkeys(kernel.definitions, 1.0)


def test_what_is_padded_is_computed_where_it_is():
    kernel = shifted((10, 4), 1, 2, 3)
    (load,) = loads(kernel)
    assert shares(kernel, kernel.parallel)[load.name] == pytest.approx(4 / 9)
