"""Places of elements are as right as the elements that they lead to."""

import pytest
import torch

from compiler_core.capture.places import take_along
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.ir.types import F32, I64, TensorType
from compiler_core.measure.numerics import Reference, check
from compiler_core.measure.run import reference
from compiler_core.measure.sort_places import Taken, places_of
from tests.compiler_core.capture.oracle import captured

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
    reference = Reference(
        [ordered.double(), PLACES], ((found, [KEYS.double(), torch.zeros(1, 4)]),)
    )
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
    assert (found.output, found.dim, found.needs[0].op) == (1, 1, "parameter")
    assert places_of(sorted_graph(stable=True)) == ()
    assert places_of(sorted_graph(places=False)) == ()


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64])
def test_whole_numbers_and_truth_values_have_places_too(dtype: torch.dtype) -> None:
    keys = torch.tensor([1, 0, 1, 0]).to(dtype)
    result = captured("torch", torch.argsort, keys)
    ((found, elements),) = reference(result, [keys]).keys
    given = {"eager": [torch.tensor([1, 3, 0, 2])], "core": [torch.tensor([3, 1, 0, 2])]}
    assert check(given, Reference(given["eager"], ((found, elements),)))["core"].ok
    given["core"] = [torch.tensor([0, 1, 3, 2])]
    assert not check(given, Reference(given["eager"], ((found, elements),)))["core"].ok


def test_the_greatest_have_places_too() -> None:
    b = Builder()
    values, places = b.operation(
        "top_k", [b.parameter(TensorType(F32, (1, 4)), "x")], k=2, total=False
    )
    (found,) = places_of(b.graph("f", [values, b.convert(places, I64)]))
    assert (found.output, found.dim) == (1, 1)


def test_places_are_known_through_views() -> None:
    """As torch.topk gives the least ones, and the greatest of another dimension."""
    graph = sorted_graph()
    b = Builder(graph.next_id)
    two = b.node("slice", graph.outputs[1], start=(0, 0), limit=(1, 2), strides=(1, 1))
    (found,) = places_of(Graph.of("f", graph.inputs, [b.transpose(two, (1, 0))]))
    assert (found.dim, *(v.type.shape for v in found.needs)) == (1, (1, 4), (2, 1))


def test_places_are_known_where_a_part_begins_at_a_value() -> None:
    graph = sorted_graph()
    b = Builder(graph.next_id)
    start = [b.scalar(0, I64), b.scalar(1, I64)]
    two = b.node("dynamic_slice", graph.outputs[1], *start, sizes=(1, 2))
    (found,) = places_of(Graph.of("f", graph.inputs, [two]))
    assert (found.dim, *(v.type.shape for v in found.needs)) == (1, (1, 4), (1, 2))


MOVED = {
    "of one dimension less": lambda x: torch.kthvalue(x, 3, 1),
    "of one": lambda x: torch.topk(x, 3, 1).indices[:, 0],
    "in one row": lambda x: torch.argsort(x, 1).flatten(),
    "of some rows": lambda x: torch.argsort(x, 0)[:, 2:5],
    "one after the other": lambda x: torch.argsort(x.flatten()).view(3, -1)[1:].t(),
    "as floats": lambda x: torch.argsort(x, 1).float(),
    "reversed": lambda x: torch.argsort(x, 1).flip(0),
    "of the most frequent": lambda x: torch.mode(x, 1),
}


@pytest.mark.cpu
@pytest.mark.parametrize("name", MOVED)
def test_places_are_as_right_wherever_they_are_moved(name: str) -> None:
    """Those of the IR in numpy, by a stable sort, against those of torch, by whatever it sorts."""
    x = torch.randint(0, 4, (6, 33), generator=torch.Generator().manual_seed(0))
    result = captured("torch", MOVED[name], x)
    exact = reference(result, [x])
    (*_, found) = evaluate(result.graph, [x.numpy()])
    given = {
        "eager": list(exact.outputs),
        "core": [*exact.outputs[:-1], torch.tensor(found.copy())],
    }
    assert check(given, exact)["core"].ok
    given["core"][-1] = given["core"][-1].roll(1, -1)
    assert not check(given, exact)["core"].ok


# -- what stands at such places elsewhere

ELEMENTS = torch.tensor([[10.0, 20.0, 30.0, 40.0]])


def taken(k: int, given: list[list[float]], dtype: torch.dtype = torch.float32) -> bool:
    """Whether `given` is right for the elements at the places of the `k` greatest keys."""
    b = Builder()
    x, y = (b.parameter(TensorType(F32, (1, 4)), name) for name in "xy")
    if k == 4:
        beside = b.iota(I64, (1, 4), 1)
        _, places = b.operation("sort", [x, beside], dimension=1, keys=1, descending=True,
                                stable=False)  # fmt: skip
    else:
        _, places = b.operation("top_k", [x], k=k, total=False)
    (found,) = places_of(b.graph("f", [take_along(b, y, 1, places, "clamp")]))
    elements = ELEMENTS.to(dtype)
    exact = elements.gather(1, PLACES[:, :k])
    needs = [KEYS.double(), PLACES[:, :k], elements]
    reference = Reference([exact], ((found, needs),))
    outputs = {"eager": [exact], "core": [torch.tensor(given, dtype=dtype)]}
    return check(outputs, reference)["core"].ok


def test_elements_of_equal_keys_may_stand_in_any_order() -> None:
    assert taken(4, [[10.0, 30.0, 40.0, 20.0]])
    assert taken(4, [[30.0, 10.0, 40.0, 20.0]])


@pytest.mark.parametrize(
    "given",
    ([[30.0, 30.0, 40.0, 20.0]], [[10.0, 30.0, 20.0, 40.0]], [[10.0, 31.0, 40.0, 20.0]]),
    ids=("one twice", "of another key", "another value"),
)
def test_other_elements_are_wrong(given: list[list[float]]) -> None:
    assert not taken(4, given)


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_of_more_equal_keys_than_are_taken_it_may_be_any(dtype: torch.dtype) -> None:
    assert taken(1, [[10.0]], dtype) and taken(1, [[30.0]], dtype)
    assert not taken(1, [[20.0]], dtype) and not taken(1, [[29.0]], dtype)


def test_torch_gather_by_argsort_is_compared_so() -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.gather(y, 0, torch.argsort(x, 0))

    result = captured("torch", f, torch.rand(5, 3), torch.rand(5, 3))
    (found,) = places_of(result.graphs[0].graph)
    assert isinstance(found, Taken) and found.dim == 0
