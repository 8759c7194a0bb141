"""A torch program that is not one graph is several, with Python in between."""

import pytest
import torch

from compiler_core.capture import capture
from compiler_core.capture.captured import Captured
from compiler_core.capture.torch.dynamo.limits import notify_limits
from compiler_core.errors import CaptureError
from compiler_core.snippet.execute import as_main
from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu

X = torch.linspace(-2, 2, 24).reshape(4, 6)

DECIDES = """
    import torch
    def f(x):
        y = torch.relu(x + 1)
        if y.sum() > 0:
            print("mean", y.mean().item())
            return y * 2
        return y.sin()
"""


def snippet(source: str, inputs: str = "f32[4,6]") -> Captured:
    return capture(explore(source, inputs=inputs).programs[0])


def test_a_decision_by_data_ends_a_graph():
    result = snippet(DECIDES)
    ops = [[n.op for n in each.nodes] for each in result.graphs]
    assert ops == [
        ["aten.add.Tensor", "aten.relu", "aten.sum", "aten.gt.Scalar"],
        ["aten.mean"],
        ["aten.mul.Tensor"],
    ]
    assert [(g.role, g.name, g.line) for g in result.graphs] == [
        ("piece", "piece 1 of 3", 4),
        ("piece", "piece 2 of 3", 6),
        ("piece", "piece 3 of 3", 7),
    ]


TABLES = """
    import torch
    TABLES = {"low": [1.0, 2.0], "high": [10.0, 20.0]}

    def scaled(x, name):
        return x * torch.tensor(TABLES[name])

    def f(x):
        x = scaled(x, "low")
        torch._dynamo.graph_break()
        return scaled(x, "high")
"""


def test_graphs_of_one_text_that_hold_other_numbers_are_two():
    result = agrees(snippet(TABLES, "f32[3,2]"))
    assert [g.name for g in result.graphs] == ["piece 1 of 2", "piece 2 of 2"]


TURNED = """
    import torch

    def doubled(x):
        return x * 2

    def f(x):
        x = doubled(x)
        torch._dynamo.graph_break()
        return doubled(x.t())
"""


def test_graphs_of_one_text_whose_inputs_lie_otherwise_are_two():
    result = agrees(snippet(TURNED, "f32[3,3]"))
    assert [g.name for g in result.graphs] == ["piece 1 of 2", "piece 2 of 2"]


def test_graph_breaks_say_why_and_where():
    breaks = [(b.line, b.reason) for b in snippet(DECIDES).graph_breaks]
    assert breaks == [
        (5, "Python decides by the value of a tensor which way to go"),
        (6, "Python asks for the value of a tensor, and gets a number"),
        (6, "print() runs in Python"),
    ]


def test_what_python_runs_between_the_graphs_is_known_by_line():
    result = snippet(DECIDES)
    segments = [(s.after, s.first_line, s.text.strip()) for s in result.python]
    assert segments == [
        ("piece0", 5, "if y.sum() > 0:"),
        ("piece1", 6, 'print("mean", y.mean().item())'),
    ]
    assert all(s.reason for s in result.python)
    # The first graph's y, which later ones read; the mean is read by Python alone.
    assert [s.bytes for s in result.python] == [X.nbytes, None]


LEAVES = """
import torch
rnn = torch.nn.GRU(6, 5)

def f(x):
    y = torch.tanh(x) * 2
    if y.sum() > 0:
        print("positive")
    z, _ = rnn(torch.nn.utils.rnn.pack_sequence([y]))
    return torch.relu(z.data)
"""


def test_where_the_rest_of_a_function_is_left_to_python_all_of_it_is_told():
    last = snippet(LEAVES).python[-1]
    assert (last.after, last.first_line, last.last_line) == ("piece0", 9, 10)
    assert "GRU" in last.reason and "relu" in last.text


def test_operations_are_numbered_over_all_graphs_and_know_their_place():
    nodes = snippet(DECIDES).nodes
    assert [n.id for n in nodes] == list(range(6))
    assert [(n.line, n.column) for n in nodes[:2]] == [(4, 20), (4, 9)]
    assert [n.graph for n in nodes] == ["piece0"] * 4 + ["piece1", "piece2"]


def test_inputs_keep_the_names_of_the_snippet():
    assert [v["name"] for v in snippet(DECIDES).graphs[0].graph.inputs] == ["x"]


def test_the_pieces_and_the_python_between_them_are_the_program(capsys):
    result = agrees(snippet(DECIDES))
    assert library_calls(result) == []
    assert "mean" in capsys.readouterr().out


def test_what_a_program_prints_is_told_once(capsys):
    """The first try on abstract tensors ends at the decision; what it printed until then is the
    next run's."""
    found = explore(
        """
        import torch
        def f(x):
            print("here")
            if x.sum() > 0:
                return x + 1
            return x
        """,
        inputs="f32[4,6]",
    )
    capture(found.programs[0])
    assert capsys.readouterr().out == "here\n"


def test_a_printed_tensor_ends_a_graph():
    result = snippet("""
        import torch
        def f(x):
            y = x * 2
            print(y)
            return y + 1
    """)
    assert len(result.graphs) == 2


def test_a_shape_that_depends_on_data_is_left_to_python():
    def f(x):
        kept = x[x > 0] * 2
        return kept.sum()

    agrees(captured("torch", f, X))


def test_other_values_that_take_another_way_are_compiled_when_they_come():
    def f(x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    program = captured("torch", f, X + 1)
    assert program.session is not None
    late = []

    def compile_late(graph):
        late.append(graph.id)
        return lambda inputs: [inputs[0] - 1]

    program.session.link([lambda xs: [xs[0].sum() > 0], lambda xs: [xs[0] * 2]], compile_late)
    result = program.session.compiled(program.session.prepare([-X - 1]))
    torch.testing.assert_close(result, -X - 2)
    assert len(late) == 1


def test_memory_that_two_arguments_share_is_written_to():
    def f(a, b):
        a.add_(1)
        return b * 2

    a = torch.arange(8.0)
    program = agrees(captured("torch", f, a, a[2:]))
    assert a.tolist() == list(range(8))
    (result, *_) = program.eager(program.arguments)
    assert result.tolist() == [2 * (x + 1) for x in range(2, 8)]


def test_results_keep_the_layout_that_torch_gives_them():
    def f(x):
        y = (x + 1).t()
        if y.sum() > 0:
            return y * 2
        return y

    agrees(captured("torch", f, X + 3))


def failure(body: str) -> CaptureError:
    found = explore(f"import torch\ndef f(x):\n    {body}\n", inputs="f32[4]")
    with pytest.raises(CaptureError) as error:
        capture(found.programs[0])
    return error.value


def test_an_exception_after_a_graph_break_is_the_programs_own():
    error = failure("if x.sum() < 1e9:\n        return x + {}['a']\n    return x")
    said = "run by PyTorch itself, the program raises KeyError: 'a'"
    assert (error.message, error.line) == (said, 4)


def test_shapes_that_do_not_fit_after_a_graph_break():
    error = failure("if x.sum() < 1e9:\n        return x @ torch.ones(7)\n    return x")
    said = "run by PyTorch itself, the program raises RuntimeError: inconsistent tensor size"
    assert error.line == 4 and error.message.startswith(said)


def test_what_dynamo_does_not_follow_is_said_of_dynamo(monkeypatch):
    def gives_up(module, inputs):
        raise NotImplementedError("no such graph")

    monkeypatch.setattr("compiler_core.capture.torch.dynamo.aot.aot_backend",
                        lambda **_: gives_up)  # fmt: skip
    error = failure("if x.sum() > 0:\n        return x\n    return -x")
    said = "TorchDynamo does not follow the program: NotImplementedError: no such graph"
    assert (error.message, error.line) == (said, 2)


def test_a_device_that_is_not_there_is_the_cpu_between_the_graphs_too():
    result = snippet("""
        import torch
        def f(x):
            y = x.cuda() * 2
            if y.sum() < 1e9:
                return y + torch.ones(6, device="cuda")
            return y
    """)
    assert len(agrees(result).graphs) == 2


def test_methods_of_a_snippets_own_module_are_found():
    """TorchDynamo looks the module of an inlined function up by its name, `__main__`."""
    source = """
        import torch
        class M(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = torch.nn.Linear(6, 6)
            def forward(self, x):
                return torch.relu(self.fc(x))
        m = torch.compile(M())
        m(torch.rand(4, 6)).sum().backward()
    """
    (program,) = explore(source).programs
    with as_main(program.module):
        agrees(capture(program))


def test_a_function_of_numpy_is_followed_by_dynamo_and_its_result_is_compared():
    result = agrees(
        snippet("""
        import numpy as np
        def f(x):
            return np.tanh(x.numpy() * 2).sum(0)
        """)
    )
    assert {"aten.tanh", "aten.sum.dim_IntList"} <= {n.op for n in result.nodes}
    (found, *_) = result.eager(result.arguments)
    assert found.shape == (6,)


def test_a_function_that_is_compiled_too_often_is_told_once_and_logged_nowhere(logged):
    session = snippet("""
        import torch
        def f(x):
            y = torch.relu(x)
            text = str(y.sum().item())
            return y * len(text) if text else x
    """).session
    said = []
    notify_limits(lambda *told: said.append(told))
    for i in range(12):
        session.compiled(session.prepare([X + i]))
    ((sentence, line),) = said
    assert sentence.startswith("TorchDynamo has compiled the rest of f from line 5 on 8 times")
    assert line == 5
    assert not [r for r in logged if "recompile_limit" in r.getMessage()]
