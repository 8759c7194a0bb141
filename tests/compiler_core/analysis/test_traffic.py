"""Launches and bytes of graphs, counted by hand."""

from compiler_core.analysis import traffic
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType

KIB = 1024


def biased_gelu_like():
    """y = tanh(x + b) + 1, as three captured operations."""
    b = Builder()
    x, bias = b.parameter(TensorType(F32, (4, 256))), b.parameter(TensorType(F32, (256,)))
    with b.origin(0):
        y = b.node("add", x, b.broadcast(bias, (4, 256)))
    with b.origin(1):
        y = b.node("tanh", y)
    with b.origin(2):
        y = b.node("add", y, b.scalar(1.0, F32, (4, 256)))
    return b.graph("f", [y])


def test_each_captured_operation_is_a_launch_that_reads_and_writes():
    found = traffic.of_graph(biased_gelu_like())
    assert found.launches == 3
    # Reads x and the bias itself, not its broadcast; then 4 KiB in and out twice.
    assert found.bytes == (4 + 1 + 4) * KIB + 8 * KIB + 8 * KIB


def test_what_is_needed_is_inputs_and_outputs_once():
    assert traffic.needed(biased_gelu_like()) == (4 + 1 + 4) * KIB


def test_transcendental_functions_weigh_more():
    assert traffic.of_graph(biased_gelu_like()).flops == 1024 * (1 + 8 + 1)


def test_one_operation_of_many_nodes_is_one_launch():
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 256)))
    with b.origin(0):
        total = b.reduce(b.node("exponential", x), "add", (1,), keepdims=True)
        y = b.node("divide", b.node("exponential", x), b.broadcast(total, (4, 256)))
    found = traffic.of_graph(b.graph("f", [y]))
    assert (found.launches, found.bytes) == (1, 8 * KIB)


def test_views_are_free_and_a_slice_reads_what_it_shows():
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 256)))
    with b.origin(0):
        half = b.node("slice", x, start=(0, 0), limit=(2, 256), strides=(1, 1))
    with b.origin(1):
        turned = b.transpose(half, (1, 0))
    with b.origin(2):
        y = b.node("negate", turned)
    found = traffic.of_graph(b.graph("f", [y]))
    assert (found.launches, found.bytes) == (1, 4 * KIB)


def test_a_matrix_product_is_two_operations_for_each_multiplication():
    b = Builder()
    x, y = b.parameter(TensorType(F32, (2, 3))), b.parameter(TensorType(F32, (3, 5)))
    graph = b.graph("f", [b.dot_general(x, y, contract=((1,), (0,)))])
    assert traffic.of_graph(graph).flops == 2 * 2 * 3 * 5


def test_of_an_input_that_is_only_sliced_no_more_is_needed_than_the_slice():
    b = Builder()
    x = b.parameter(TensorType(F32, (4, 256)))
    half = b.node("slice", x, start=(0, 0), limit=(2, 256), strides=(1, 1))
    assert traffic.needed(b.graph("f", [b.node("negate", half)])) == (2 + 2) * KIB
