"""From what was recorded of a call to the events of a lane."""

import pytest

from compiler_core.measure.instructions import Instructions
from compiler_core.measure.recorded import Call, Span
from compiler_core.measure.torch_profile import DEVICE
from compiler_core.reference import lanes
from compiler_core.reference.inductor import timeline
from compiler_core.reference.source_lines import SourceLines
from compiler_core.report import CapturedOp, TimelineEvent

pytestmark = pytest.mark.null

LINES = SourceLines(
    (
        CapturedOp(0, "aten.t", 4, 5),
        CapturedOp(1, "aten.addmm", 4, 5),
        CapturedOp(2, "aten.add.Tensor", 5, 9),
        CapturedOp(3, "aten.mul.Tensor", 5, 9),
    )
)


class Placed(Instructions):
    """Places by the microseconds of a call that began at 0."""

    def __init__(self, *until):
        super().__init__()
        self.until = until

    def place(self, ns):
        return next(place for us, place in self.until if ns <= us * 1e3)


LINEAR = Span("aten::linear", 1, 5, (Span("aten::addmm", 2, 4),))
ADD = Span("aten::add", 6, 8)


def eager(*traced):
    return lanes.Eager(
        lanes.operations, LINES, Call(10, 0, traced), Placed((5, (4, 5)), (10, (5, 9)))
    )


def test_eager_shows_what_the_program_calls_itself_at_its_place():
    step = Span("Optimizer.step", 0, 9, (LINEAR, ADD))
    linear, add = eager(LINEAR, ADD).events(Call(10, 0, (step,)))
    assert (linear.name, linear.kind, linear.line, linear.nodes) == (
        "aten.linear", "library", 4, [0, 1],
    )  # fmt: skip
    assert (add.name, add.line, add.nodes) == ("aten.add", 5, [2])
    assert (add.start_us, add.duration_us) == (6, 2)


def test_places_of_another_sequence_of_operations_are_not_guessed():
    (add,) = eager(LINEAR).events(Call(10, 0, (ADD,)))
    assert add.line is None and add.nodes == []


def test_on_a_gpu_kernels_have_the_places_of_the_operations_that_launched_them():
    launch = Span("cudaLaunchKernel", 2, 3)
    host = Span("aten::linear", 1, 5, (launch,))
    device = Span("void gemm<float>(int)", 20, 30, tags=frozenset({DEVICE}))
    (event,) = eager(host).events(Call(40, 0, (host, device)))
    assert (event.name, event.line, event.start_us) == ("gemm", 4, 20)


def test_python_is_what_is_left_between_two_graphs():
    graphs = [Span("g", 0, 10), Span("g", 30, 40)]
    known = [TimelineEvent(15, 5, "library", "aten.item"), TimelineEvent(29.5, 0.5, "guards", "")]
    found = [(e.start_us, e.duration_us) for e in lanes.python_between(graphs, known)]
    assert found == [(10, 5), (20, 9.5)]


def test_inductors_kernels_and_library_calls_have_their_operations():
    call = Call(30, 0, (
        Span("TorchDynamo Cache Lookup", 0, 1),
        Span("## Call CompiledFxGraph abc ##", 2, 20, (
            Span("aten::addmm", 3, 5),
            Span("fuselab: kernel cpp_fused_add_0", 6, 9),
        )),
        Span("aten::item", 22, 23),
    ))  # fmt: skip
    found = timeline.Origins({"cpp_fused_add_0": [2]}, [("addmm", [0, 1])])
    events = {e.name: (e.kind, e.nodes) for e in timeline.events(call, found)}
    assert events == {
        "cpp_fused_add_0": ("kernel", [2]),
        "aten.addmm": ("library", [0, 1]),
        "aten.item": ("library", []),
    }
    assert [e.kind for e in lanes.guards(call)] == ["guards"]
