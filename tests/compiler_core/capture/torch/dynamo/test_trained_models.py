"""A compiled model that the snippet calls, and trains outside it."""

import pytest

from compiler_core.capture import capture
from compiler_core.snippet.execute import as_main
from tests.compiler_core.capture.oracle import agrees
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


LOOP = """
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 5), nn.Tanh(), nn.Linear(5, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model)
    for _ in range(2):
        loss = nn.functional.mse_loss(compiled(torch.rand(8, 6)), torch.rand(8, 2))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""


def test_a_compiled_model_that_the_snippet_trains_is_both_passes():
    (program,) = explore(LOOP).programs
    result = agrees(capture(program))
    assert [g.role for g in result.graphs] == ["forward", "backward"]
    # The result, the argument, four parameters and the gradient of each.
    assert len(result.eager(result.arguments)) == 2 + 4 + 4


def test_what_a_model_learns_under_autocast_is_among_its_outputs():
    """Also in float64, which holds only where its parameters are."""
    under = LOOP.replace("loss = nn", 'with torch.autocast("cpu"): loss = nn')
    (program,) = explore(under).programs
    result = capture(program)
    assert [len(run(result.arguments)) for run in (result.eager, result.exact)] == [10, 10]


def test_results_in_a_dictionary_have_their_own_gradients():
    source = """
        import torch
        @torch.compile
        def f(x):
            return {"y": torch.tanh(x), "mean": x.mean()}
        x = torch.rand(4, 6, requires_grad=True)
        found = f(x)
        (found["y"].sum() + 3 * found["mean"]).backward()
    """
    (program,) = explore(source).programs
    with as_main(program.module):
        result = agrees(capture(program))
    assert result.graphs[0].name == "forward"


def test_a_compiled_model_that_is_only_called_is_one_graph():
    (program,) = explore(LOOP.replace("loss.backward()", "pass")).programs
    assert [g.role for g in capture(program).graphs] == ["whole"]


AT_MODULE_LEVEL = """
    import torch
    from torch import nn
    model = torch.compile(nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.rand(8, 6), torch.rand(8, 2)
    for epoch in range(2):
        optimizer.zero_grad()
        error = model(x) - y
        loss = (error ** 2).mean()
        loss.backward()
        optimizer.step()
"""


def test_a_training_loop_around_a_compiled_model_has_the_lines_and_names_of_the_snippet():
    (program,) = explore(AT_MODULE_LEVEL).programs
    result = agrees(capture(program))
    assert [(g.role, g.line) for g in result.graphs] == [("forward", 9), ("backward", 9)]
    assert {n.line for n in result.nodes} == {9}
    assert [s.name for s in result.graphs[0].saved] == ["input", "2.weight", "relu"]
    (between,) = result.python
    assert (between.after, between.first_line, between.last_line) == ("forward0", 9, 11)
    assert not result.graph_breaks  # of the loop nothing but the model is compiled
