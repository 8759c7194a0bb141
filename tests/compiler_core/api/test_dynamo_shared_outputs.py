"""Outputs that are views of one tensor share its memory, as torch.compile's back ends have it."""

import pytest
import torch

from compiler_core.api import dynamo_backend

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("dynamo_forgotten")]


def parts(a):
    y = a * 2
    return y[1:], y[:2]


def turned_in_place(a):
    y = a * 2
    y.T.add_(1)
    y.t_()
    return y, y.T


def as_split(a):
    return (a * 2).split(2)


def turned_and_in_a_row(a):
    return (y := torch.relu(a)).T, y.view(-1)[3:]


def rows_of_a_sort(a):
    values, order = a.sort()
    return values[1:], order[0], values[:1], order[1]


def halves_of_complex_numbers(a):
    z = torch.complex(a, a + 1)
    return z.real, z.imag


def of_a_constant(a):
    zeros = torch.zeros(4, 3)
    return zeros[0], a + 1, zeros[1]


PROGRAMS = (parts, turned_in_place, as_split, turned_and_in_a_row, rows_of_a_sort,
            halves_of_complex_numbers, of_a_constant)  # fmt: skip


def about(tensors):
    memory = [x.untyped_storage()._cdata for x in tensors]
    forms = [(x.shape, x.stride(), x.storage_offset()) for x in tensors]
    return [memory.index(m) for m in memory], forms


@pytest.mark.parametrize("f", PROGRAMS, ids=[f.__name__ for f in PROGRAMS])
@pytest.mark.parametrize("dynamic", [False, True], ids=["numbers", "symbols"])
def test_who_writes_to_one_finds_it_in_the_other(f, dynamic):
    x = torch.arange(12.0).reshape(4, 3)
    found = torch.compile(f, backend=dynamo_backend.fuselab, dynamic=dynamic)(x)
    own = f(x)
    assert about(found) == about(own)
    found[0].add_(1), own[0].add_(1)
    assert all(map(torch.equal, found, own))


@pytest.mark.parametrize("f", [as_split, of_a_constant])
def test_also_where_a_gradient_is_recorded(f):
    x = torch.arange(12.0).reshape(4, 3).requires_grad_()
    found, own = torch.compile(f, backend=dynamo_backend.fuselab)(x), f(x)
    assert about(found) == about(own)


def changed_form(a):
    y = a * 2
    y.t_()
    return y, y.T


def viewed_before(a):
    y = a * 2
    z = y.T
    y.unsqueeze_(0)
    return y, z


@pytest.mark.parametrize("f", [changed_form, viewed_before])
def test_a_result_whose_form_was_changed_in_place_has_its_gradient(f):
    """AOTAutograd's own code fails at the call."""
    x, other = (torch.arange(12.0).reshape(4, 3).requires_grad_() for _ in range(2))
    with pytest.warns(dynamo_backend.FuselabFallback, match="is changed in place"):
        found = torch.compile(f, backend=dynamo_backend.fuselab)(x)
    own = f(other)
    assert about(found) == about(own)
    sum(map(torch.sum, found)).backward()
    sum(map(torch.sum, own)).backward()
    assert torch.equal(x.grad, other.grad)
