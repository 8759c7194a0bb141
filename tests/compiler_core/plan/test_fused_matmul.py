"""Which kernels become one step with a product, and what each of a chain's products takes."""

import pytest

from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.fused_matmul import FusedMatmul
from tests.compiler_core.codegen.c.graphs import gelu
from tests.compiler_core.plans import ON_CPU, ON_GPU


class Net:
    """A graph under construction: every call of `linear` is a product with weights of its own."""

    def __init__(self, rows=64, width=96):
        self.b, self.rows = Builder(), rows
        self.x = self.b.parameter(TensorType(F32, (rows, width)))

    def linear(self, x, out):
        w, bias = (self.b.parameter(TensorType(F32, s)) for s in ((out, x.type.shape[1]), (out,)))
        product = self.b.dot_general(x, w, contract=((1,), (1,)))
        return self.b.node("add", product, self.b.broadcast(bias, product.type.shape))

    def norm(self, x):
        b = self.b
        total = b.reduce(b.node("multiply", x, x), "add", (1,), True)
        return b.node("multiply", x, b.broadcast(b.node("rsqrt", total), x.type.shape))

    def launches(self, choose, *outputs):
        graph = self.b.graph("net", list(outputs))
        return build_plan(fuse(values_of(graph)), choose).launches


def taken(launch):
    """The roles of the kernels that a product has taken."""
    return tuple(launch.step.parts) if isinstance(launch.step, FusedMatmul) else None


ON = pytest.mark.parametrize("choose", [ON_CPU, ON_GPU], ids=["cpu", "gpu"])


@ON
def test_an_mlp_is_two_launches(choose):
    net = Net()
    out = net.linear(gelu(net.b, net.linear(net.x, 128)), 96)
    assert [taken(x) for x in net.launches(choose, out)] == [("end",), ("end",)]


@ON
def test_a_matrix_by_its_own_transpose_is_read_once(choose):
    net = Net()
    (launch,) = net.launches(choose, net.b.dot_general(net.x, net.x, contract=((1,), (1,))))
    assert launch.step.traffic() == (64 * 96 * 4, 64 * 64 * 4)


@ON
def test_a_residual_is_added_where_the_product_is(choose):
    net = Net()
    out = net.b.node("add", net.x, net.linear(net.x, 96))
    (launch,) = net.launches(choose, out)
    assert taken(launch) == ("end",)


def test_a_norm_before_and_a_norm_after_a_product_run_on_its_rows_on_a_cpu():
    net = Net()
    (launch,) = net.launches(ON_CPU, net.norm(net.linear(net.norm(net.x), 128)))
    assert taken(launch) == ("lhs", "end")


def test_a_norm_is_a_kernel_of_its_own_on_a_gpu_and_says_why():
    net = Net()
    norm, product = net.launches(ON_GPU, net.linear(net.norm(net.x), 128))
    assert norm.step.name == "k0_multiply_reduce_rsqrt" and taken(product) == ("end",)
    refused = [x.reason for x in product.candidates if x.cost_us is None]
    assert refused == [
        "k0_multiply_reduce_rsqrt: the prologue reduces, and every tile would repeat the reduction"
    ]


@pytest.mark.parametrize(("parts", "roles"), [(2, ("lhs", "end")), (16, ("end",))])
def test_a_concatenation_of_many_is_not_computed_on_the_tiles_of_a_gpu(parts, roles):
    """Each part is guarded loads at every element of a tile, in one loop: sixteen are a megabyte
    of LLVM that takes 20 s to compile."""
    net = Net(width=8)
    pieces = [net.b.node("divide", net.x, net.b.parameter(net.x.type)) for _ in range(parts)]
    joined = net.b.node("concatenate", *pieces, dimension=1)
    assert taken(net.launches(ON_GPU, net.linear(joined, 16))[-1]) == roles


def test_what_three_products_read_is_computed_once():
    net = Net()
    x = net.norm(net.x)
    launches = net.launches(ON_CPU, *(net.linear(x, 96) for _ in range(3)))
    assert [taken(x) for x in launches] == [None, ("end",), ("end",), ("end",)]


@ON
def test_one_projection_of_query_key_and_value_is_one_launch(choose):
    net = Net()
    b, product = net.b, net.linear(net.x, 3 * 96)
    heads = b.transpose(b.reshape(product, (64, 3, 6, 16)), (1, 2, 0, 3))
    (launch,) = net.launches(choose, heads)
    assert taken(launch) == ("end",)


@ON
def test_a_product_that_the_program_returns_is_in_memory(choose):
    net = Net()
    w = net.b.parameter(TensorType(F32, (96, 32)))
    product = net.b.dot_general(net.x, w, contract=((1,), (0,)))
    launches = net.launches(choose, product, net.b.node("tanh", product))
    assert [taken(x) for x in launches] == [None, None]


def test_a_kernel_between_two_products_ends_the_first():
    net = Net()
    first = net.linear(net.x, 64)
    out = net.b.dot_general(net.b.node("tanh", first), first, contract=((1,), (0,)))
    (before, after) = net.launches(ON_CPU, out)[-2:]
    assert before.step.name == "k1_add_tanh" or taken(before) == ("end",)
    assert taken(after) is None


@ON
def test_every_way_that_was_considered_has_a_cost_or_a_reason(choose):
    net = Net(rows=512, width=512)
    (launch,) = net.launches(choose, gelu(net.b, net.linear(net.x, 512)))
    costs = [x.cost_us for x in launch.candidates if x.cost_us is not None]
    (chosen,) = (x for x in launch.candidates if x.chosen)
    assert chosen.cost_us == min(costs) and len(costs) > 1
    assert all(x.reason for x in launch.candidates)
    assert any("apart" in x.reason or "the rest" in x.reason for x in launch.candidates)


def test_a_prologue_that_the_program_needs_more_of_leaves_that_in_memory():
    """A norm by rows whose sum of squares is returned too."""
    net = Net()
    b = net.b
    total = b.reduce(b.node("multiply", net.x, net.x), "add", (1,), True)
    scaled = b.node("multiply", net.x, b.broadcast(b.node("rsqrt", total), net.x.type.shape))
    (launch,) = net.launches(ON_CPU, total, net.linear(scaled, 128))
    assert taken(launch) == ("lhs", "end")
    assert {x.name for x in launch.step.outputs} == {"out0", "out1"}


def test_a_kernel_of_whose_results_another_is_needed_earlier_stands_before_the_product():
    net = Net()
    b = net.b
    total = b.reduce(b.node("multiply", net.x, net.x), "add", (1,), True)
    scaled = b.node("multiply", net.x, b.broadcast(b.node("rsqrt", total), net.x.type.shape))
    w = b.dot_general(b.node("tanh", total), total, contract=((0,), (0,)))
    spread = b.broadcast(b.reshape(w, (1, 1)), (128, 96))
    product = b.dot_general(
        scaled, b.node("add", spread, b.parameter(spread.type)), contract=((1,), (1,))
    )
    norm, *rest = net.launches(ON_CPU, product)
    assert taken(norm) is None and len(norm.step.outputs) > 1
    assert not any("lhs" in (taken(x) or ()) for x in rest)
