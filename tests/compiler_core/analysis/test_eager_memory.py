"""The memory that eager execution holds, counted by hand."""

from compiler_core.analysis.eager_memory import live_bytes
from compiler_core.ir.build import Builder
from compiler_core.ir.types import F32, TensorType

KIB = 1024


def chain(b, x, *names):
    for number, name in enumerate(names):
        with b.origin(number):
            x = b.node(name, x)
    return x


def test_a_value_is_held_until_its_last_reader_is_done():
    b = Builder()
    x = b.parameter(TensorType(F32, (256,)))
    graph = b.graph("f", [chain(b, x, "tanh", "negate", "exponential")])
    assert live_bytes(graph) == [KIB, 2 * KIB, KIB]


def test_a_view_holds_what_it_shows():
    b = Builder()
    x = b.parameter(TensorType(F32, (16, 16)))
    with b.origin(0):
        y = b.node("tanh", x)
    with b.origin(1):
        turned = b.transpose(y, (1, 0))
    with b.origin(2):
        z = b.node("exponential", x)
    with b.origin(3):
        out = b.node("add", turned, z)
    assert live_bytes(b.graph("f", [out])) == [KIB, 2 * KIB, 2 * KIB]


def test_what_an_operation_makes_for_itself_is_not_seen():
    b = Builder()
    x = b.parameter(TensorType(F32, (256,)))
    with b.origin(0):
        y = b.node("negate", b.node("tanh", x))
        z = b.node("exponential", y)
    with b.origin(1):
        w = b.node("abs", z)
    assert live_bytes(b.graph("f", [w])) == [KIB, KIB]


def test_what_an_operation_needs_nothing_for_may_stand_before_what_it_reads():
    b = Builder()
    x = b.parameter(TensorType(F32, (256,)))
    with b.origin(1):
        early = b.node("tanh", x)
    with b.origin(0):
        y = b.node("negate", x)
    with b.origin(1):
        late = b.node("add", early, y)
    with b.origin(2):
        out = b.node("abs", late)
    assert live_bytes(b.graph("f", [out])) == [KIB, 2 * KIB, KIB]
