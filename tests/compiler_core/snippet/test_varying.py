"""Which calls TorchDynamo compiles for, and which sizes become symbols, held against it."""

import itertools

import pytest
import torch
from torch.export import Dim

from compiler_core.snippet.declared import declared_sizes
from compiler_core.snippet.varying import Varying
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu


def zeros(*shape):
    return torch.zeros(*shape)


def program(x, y=None):
    """Looks at each argument, which is guarded then."""
    x = x[0].sum() + x[1].sum() if isinstance(x, list) else x.sum()
    if isinstance(y, torch.Tensor):
        return x + y.sum()
    if isinstance(y, str | bool):
        return x * 2 if y in ("a", True) else x
    return x if y is None else x * y


CALLS = {
    "one size": [(zeros(4, 8),), (zeros(6, 8),), (zeros(7, 8),), (zeros(4, 8),)],
    "another later": [(zeros(4, 8),), (zeros(6, 8),), (zeros(7, 9),), (zeros(3, 3),)],
    "to one": [(zeros(4, 8),), (zeros(1, 8),), (zeros(7, 8),), (zeros(1, 8),)],
    "from one": [(zeros(1, 8),), (zeros(3, 8),), (zeros(7, 8),)],
    "to zero": [(zeros(4, 8),), (zeros(0, 8),), (zeros(7, 8),), (zeros(0, 8),)],
    "equal at first": [(zeros(4), zeros(4)), (zeros(6), zeros(6)), (zeros(7), zeros(9))],
    "of one tensor": [(zeros(4, 4),), (zeros(5, 6),), (zeros(5, 5),)],
    "another type": [(zeros(4),), (zeros(4).double(),), (zeros(5),), (zeros(6).double(),)],
    "a list": [([zeros(4), zeros(5)],), ([zeros(6), zeros(5)],), ([zeros(7), zeros(6)],)],
    "not always there": [(zeros(4), None), (zeros(4), zeros(3)), (zeros(5), None)],
    "whole numbers": [(zeros(4), 3), (zeros(4), 4), (zeros(4), 5), (zeros(4), 1), (zeros(4), 0)],
    "other numbers": [(zeros(4), 3.0), (zeros(4), 4.5), (zeros(4), 5.0), (zeros(4), 1.0)],
    "truth values": [(zeros(4), True), (zeros(4), False), (zeros(4), True)],
    "texts": [(zeros(4), "a"), (zeros(4), "b"), (zeros(4), "c")],
}


# What is asked for otherwise than nothing, of sizes and of a number.
ASKED = [*itertools.product(CALLS, (None, True, False))]
KEPT = [x for x in ASKED if x[1] is None or x[0] in ("one size", "to one", "whole numbers")]


@pytest.mark.parametrize(("name", "dynamic"), thinned(ASKED, KEPT))
def test_calls_are_compiled_for_where_torch_dynamo_does(name, dynamic):
    torch._dynamo.reset()
    graphs = []

    def backend(module, inputs):
        graphs.append(module)
        return module.forward

    compiled, varying = torch.compile(program, backend=backend, dynamic=dynamic), Varying(dynamic)
    for args in CALLS[name]:
        before = len(graphs)
        compiled(*args)
        assert varying.meet(args, {}) == (len(graphs) > before)


def sizes(*calls, dynamic=None):
    varying = Varying(dynamic)
    for args in calls:
        varying.meet(args, {})
    return varying.sizes


def test_a_size_that_changes_has_a_name():
    assert sizes((zeros(4, 8),)) == ()
    assert sizes((zeros(4, 8),), (zeros(6, 8),)) == (("S0", ""),)
    assert sizes((zeros(4, 8),), (zeros(6, 8),), dynamic=False) == ()


def test_sizes_that_are_always_equal_have_one_name():
    first, second, third = ((zeros(n), zeros(n)) for n in (4, 6, 7))
    assert sizes(first, second, third) == (("S0",), ("S0",))
    assert sizes(first, second, (zeros(7), zeros(9))) == (("S0",), ("S1",))
    assert sizes((zeros(4, 4),), dynamic=True) == (("S0", "S0"),)


def test_a_size_that_changes_to_or_from_1_is_a_number():
    assert sizes((zeros(4),), (zeros(1),)) == sizes((zeros(1),), (zeros(4),)) == ()


def test_a_tensor_of_another_rank_makes_no_symbol_of_the_first():
    assert sizes((zeros(4),), (zeros(4, 4),), (zeros(5, 6),)) == ()


def test_marked_dimensions_vary_by_keyword_and_inside_of_lists_too():
    marked = zeros(4, 8)
    torch._dynamo.mark_dynamic(marked, 1)
    varying = Varying()
    varying.meet(([zeros(3), marked],), {"y": marked})
    assert varying.sizes == (("",), ("", "S0"), ("", "S0"))


def test_the_range_of_a_mark_holds_the_first_size_and_is_said_by_name():
    marked, beyond = zeros(4, 8), zeros(100)
    torch._dynamo.mark_dynamic(marked, 1, min=3, max=64)
    torch._dynamo.mark_dynamic(beyond, 0, max=64)
    varying = Varying()
    varying.meet((marked, beyond), {})
    assert varying.sizes == (("", "S0"), ("S1",))
    assert varying.ranges == {"S0": (3, 64), "S1": (2, 100)}


def test_a_static_size_is_a_number_whatever_else_says_so_but_a_mark():
    static = zeros(4, 8)
    torch._dynamo.mark_static(static)
    assert sizes((static,), dynamic=True) == ()
    other = zeros(6, 8)
    torch._dynamo.mark_static(other)
    assert sizes((static,), (other,)) == ()
    torch._dynamo.mark_dynamic(static, 0)
    assert sizes((static,)) == (("S0", ""),)


class Takes(torch.nn.Module):
    def forward(self, x, others):
        return x


@pytest.mark.parametrize(
    "shapes",
    [
        ({0: Dim("seq_len", max=9)}, [None, {1: Dim.AUTO}]),
        {"x": (Dim("seq_len", max=9), 8), "others": [{0: Dim.STATIC}, (None, Dim.DYNAMIC)]},
    ],
    ids=["by position", "by name"],
)
def test_dynamic_shapes_name_sizes_of_tensors(shapes):
    x, others = zeros(4, 8), [zeros(2), zeros(3, 5)]
    found = declared_sizes(Takes(), (x, others), {}, shapes)
    assert found == {id(x): {0: (0, 9, "Seqlen")}, id(others[1]): {1: (None, None, "")}}


@pytest.mark.parametrize("name", ["none", "größe", "_"])
def test_a_name_that_no_size_may_have_is_left_out(name):
    x = zeros(4)
    assert declared_sizes(torch.tanh, (x,), {}, ({0: Dim(name)},)) == {id(x): {0: (0, None, "")}}


def test_a_size_has_the_name_of_its_dim_and_those_that_are_equal_to_it_too():
    x, y, z = zeros(4, 8), zeros(4, 4), zeros(8)
    calls = Varying(compiled=False)
    shapes = ({0: Dim("batch"), 1: Dim("batch_")}, {0: Dim.AUTO, 1: Dim("other")}, {0: Dim.AUTO})
    calls.declared = declared_sizes(torch.tanh, (x, y, z), {}, shapes)
    calls.meet((x, y, z), {})
    assert calls.sizes == (("Batch", "S1"), ("Batch", "Other"), ("S1",))
