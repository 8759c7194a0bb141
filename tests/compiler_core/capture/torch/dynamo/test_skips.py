"""A break that no graph can end at leaves a function to Python, with a reason."""

import pytest

from compiler_core.capture import capture
from compiler_core.capture.captured import Captured
from compiler_core.errors import CaptureError
from compiler_core.report import GraphBreak
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def snippet(source: str) -> Captured:
    return capture(explore(source, inputs="f32[4,6]").programs[0])


DECIDED = (
    "choose by torch.where, or put both branches into torch.cond, a loop into torch.while_loop"
)
IN_LOOP = """
    import torch
    def f(x):
        for i in range(3):
            x = x * 2
            if x[0, 0] > 1:
                x = x.sin()
        return x
"""


def test_a_break_in_a_loop_leaves_the_function_to_python_with_a_remedy():
    result = snippet(IN_LOOP)
    reason = (
        "Python decides by the value of a tensor which way to go, within a loop: TorchDynamo "
        "leaves all of f to Python; move it out of the loop, or write it with torch.cond or "
        "torch.where"
    )
    assert result.graphs == () and result.graph_breaks == (GraphBreak(reason, 6, DECIDED),)
    (segment,) = result.python
    assert (segment.first_line, segment.last_line) == (4, 8)
    assert segment.reason == reason and segment.text.endswith("return x")


def test_a_break_in_a_try_is_said_to_be_in_one():
    (broken,) = snippet(
        """
    import torch
    def f(x):
        x = x * 2
        try:
            if x.isnan().any():
                raise KeyError
        except KeyError:
            pass
        return x + 1
"""
    ).graph_breaks
    assert broken.line == 6 and "within a try: TorchDynamo leaves all of f" in broken.reason


def test_functions_that_a_skipped_function_calls_are_graphs():
    result = snippet(
        """
    import torch
    def g(x):
        return x.sin() * 2

    @torch.no_grad()
    def helper(x):
        return x

    def f(x):
        for i in range(3):
            x = g(x)
            if x[0, 0] > 1:
                x = x + 1
        return x
"""
    )
    (graph,) = result.graphs
    assert [n.op for n in graph.nodes] == ["aten.sin", "aten.mul.Tensor"]
    assert [(s.first_line, s.last_line) for s in result.python] == [(11, 15)]


def test_the_rest_of_a_function_may_be_left_to_python():
    result = snippet(
        """
    import torch
    def f(x):
        y = x + 1
        if y.sum() > 0:
            y = y * 2
        for i in range(3):
            if y[0, 0] > i:
                y = y * 2
        return y
"""
    )
    assert {n.line for n in result.nodes} == {4, 5}
    (broken,) = [b for b in result.graph_breaks if b.line == 8]
    assert "within a loop: TorchDynamo leaves the rest of f to Python" in broken.reason
    assert [(s.first_line, s.last_line) for s in result.python] == [(5, 5), (6, 10)]


def test_a_break_in_what_a_loop_calls_is_said_to_be_there():
    result = snippet(
        """
    import torch
    def g(x):
        if x.sum() > 0:
            return x + 1
        return x

    def f(x):
        for i in range(2):
            x = g(x)
        return x
"""
    )
    assert result.graphs
    reason = result.graph_breaks[-1].reason
    assert "in what f calls within a loop" in reason and "move the call out of it" in reason


def test_a_program_without_operations_on_tensors_is_still_refused():
    with pytest.raises(CaptureError, match="no operation on tensors"):
        snippet(
            """
    import torch
    def f(x):
        print(x.tolist()[0][0])
        return x
"""
        )


@pytest.mark.parametrize(
    "call",
    [
        "torch.nonzero(x)",
        "torch.unique(x)",
        "x[x > 0]",
        "torch.tensor_split(x, torch.tensor([1, 2]))",
    ],
)
def test_what_breaks_at_its_only_operation_runs_in_python_with_the_reason(call):
    result = snippet(
        f"""
    import torch
    def f(x):
        return {call}
    """
    )
    (broken,) = result.graph_breaks
    assert broken.line == 4 and broken.reason
