"""Places of elements are as right as the elements that they lead to."""

import pytest
import torch

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import F32, I64, TensorType
from compiler_core.measure.numerics import Reference, check
from compiler_core.measure.places import places_of

KEYS = torch.tensor([[3.0, 1.0, 3.0, 2.0]])
PLACES = torch.tensor([[0, 2, 3, 1]])


def sorted_graph(stable: bool = False, places: bool = True) -> Graph:
    b = Builder()
    x = b.parameter(TensorType(F32, (1, 4)), "x")
    beside = b.iota(I64, (1, 4), 1) if places else b.parameter(TensorType(I64, (1, 4)), "y")
    result = b.operation("sort", [x, beside], dimension=1, keys=1, descending=True, stable=stable)
    return b.graph("f", list(result))


def verdict(places: torch.Tensor) -> bool:
    (found,) = places_of(sorted_graph())
    ordered = KEYS.gather(1, PLACES)
    reference = Reference([ordered.double(), PLACES], ((found, KEYS.double()),))
    result = check({"eager": [ordered, PLACES], "core": [ordered, places]}, reference)
    return result["core"].ok


def test_equal_elements_may_change_places() -> None:
    assert verdict(torch.tensor([[2, 0, 3, 1]]))


@pytest.mark.parametrize(
    "places",
    ([[0, 2, 1, 3]], [[0, 0, 3, 1]], [[0, 2, 3, 4]], [[-1, 2, 3, 1]]),
    ids=("of another element", "twice", "beyond the end", "before the start"),
)
def test_another_place_is_wrong(places: list[list[int]]) -> None:
    assert not verdict(torch.tensor(places))


def test_only_an_order_that_nobody_promised_is_left_open() -> None:
    (found,) = places_of(sorted_graph())
    assert (found.output, found.dim, found.keys.op) == (1, 1, "parameter")
    assert places_of(sorted_graph(stable=True)) == ()
    assert places_of(sorted_graph(places=False)) == ()


def test_the_greatest_have_places_too() -> None:
    b = Builder()
    values, places = b.operation("top_k", [b.parameter(TensorType(F32, (1, 4)), "x")], k=2)
    (found,) = places_of(b.graph("f", [values, b.convert(places, I64)]))
    assert (found.output, found.dim) == (1, 1)


def test_places_are_known_through_views() -> None:
    """As torch.topk gives the least ones, and the greatest of another dimension."""
    graph = sorted_graph()
    b = Builder(graph.next_id)
    two = b.node("slice", graph.outputs[1], start=(0, 0), limit=(1, 2), strides=(1, 1))
    (found,) = places_of(Graph.of("f", graph.inputs, [b.transpose(two, (1, 0))]))
    assert (found.dim, found.keys.type.shape) == (0, (4, 1))


def test_other_lines_have_other_places() -> None:
    b = Builder()
    x = b.parameter(TensorType(F32, (3, 4)), "x")
    _, places = b.operation("top_k", [x], k=2)
    below = b.node("slice", places, start=(1, 0), limit=(3, 2), strides=(1, 1))
    assert places_of(b.graph("f", [below])) == ()
