"""Embedding bags in every mode, with empty bags, padding, weights and a last offset."""

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.sweep_plugin import crossed, thinned

pytestmark = pytest.mark.cpu

TABLE = torch.linspace(-3, 3, 40).reshape(8, 5).sin() * 4
INDICES = torch.tensor([1, 7, 7, 0, 3, 2, 1])
OFFSETS = torch.tensor([0, 2, 2, 5])


def native(fn, *args):
    assert library_calls(agrees(captured("torch", fn, *args))) == []


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 7], ids=["all", "padding"])
def test_bags_of_several_lengths(mode, padding):
    def f(indices, offsets, table):
        return F.embedding_bag(indices, table, offsets, mode=mode, padding_idx=padding)

    native(f, INDICES, OFFSETS, TABLE)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_the_last_offset_may_be_the_end(mode):
    def f(indices, offsets, table):
        return F.embedding_bag(indices, table, offsets, mode=mode, include_last_offset=True)

    native(f, INDICES, torch.tensor([0, 2, 2, 7]), TABLE)


def test_rows_have_weights_in_a_sum():
    def f(indices, offsets, table, weights):
        return F.embedding_bag(indices, table, offsets, mode="sum", per_sample_weights=weights)

    native(f, INDICES, OFFSETS, TABLE, torch.linspace(0, 1, 7))


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("padding", [None, 7], ids=["all", "padding"])
def test_bags_as_rows_of_indices(mode, padding):
    def f(indices, table):
        return F.embedding_bag(indices, table, mode=mode, padding_idx=padding)

    native(f, INDICES[:6].reshape(2, 3), TABLE)


def operations(fn, *args):
    (graph,) = captured("torch", fn, *args).graphs
    return graph.graph.operations


def test_rows_of_indices_are_reduced_in_place():
    found = operations(F.embedding_bag, INDICES[:6].reshape(2, 3), TABLE)
    assert "scatter" not in {x.op for x in found}


def test_the_bag_of_an_index_takes_no_comparison_with_every_bag():
    found = operations(F.embedding_bag, INDICES, TABLE, OFFSETS)
    most = max(x.type.elements for each in found for x in each.results)
    assert most == INDICES.numel() * TABLE.shape[1]


@pytest.mark.parametrize(("mode", "padding"), crossed(["sum", "mean"], [None, 7]))
def test_the_gradient_of_the_table(mode, padding):
    def f(indices, offsets, table, g):
        table = table.detach().requires_grad_()
        bags = F.embedding_bag(indices, table, offsets, mode=mode, padding_idx=padding)
        return torch.autograd.grad(bags, table, g)[0]

    native(f, INDICES, OFFSETS, TABLE, torch.linspace(-2, 3, 20).reshape(4, 5))


@pytest.mark.parametrize("padding", thinned([None, 7], kept=(7,)), ids=["all", "padding"])
def test_the_gradients_of_table_and_weights(padding):
    def f(indices, offsets, table, weights, g):
        given = [x.detach().requires_grad_() for x in (table, weights)]
        table, weights = given
        bags = F.embedding_bag(
            indices, table, offsets, mode="sum", per_sample_weights=weights, padding_idx=padding,
            include_last_offset=True,
        )  # fmt: skip
        return torch.autograd.grad(bags, given, g)

    grads = torch.linspace(-2, 3, 15).reshape(3, 5)
    native(f, INDICES, torch.tensor([0, 2, 2, 7]), TABLE, torch.linspace(0, 1, 7), grads)
