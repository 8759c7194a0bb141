"""What is private in AOTAutograd does what we take it to do: a new release breaks one of these."""

import networkx
import pytest
import torch

from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.dynamo.dividing import min_cut
from tests.compiler_core.capture.torch.dynamo.aot_graphs import X, graphs_of

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("dynamo_forgotten")]


def test_a_back_end_is_given_functional_aten_operations():
    def fn(x):
        y = x * 2
        y.add_(1)
        return y

    [(role, module)], _, result = graphs_of(fn, X)
    names = [str(n.target) for n in module.graph.nodes if n.op == "call_function"]
    assert (role, names) == ("inference", ["aten.mul.Tensor", "aten.add.Tensor"])
    torch.testing.assert_close(result, X * 2 + 1)


def test_where_there_is_no_cut_all_is_saved_and_no_file_is_written(tmp_path, monkeypatch):
    def no_cut(*_):
        raise networkx.NetworkXUnbounded("Infinite capacity path")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(networkx, "minimum_cut", no_cut)
    weight = torch.rand(6, 3, requires_grad=True)
    seen, _, loss = graphs_of(lambda x, w: torch.relu(x @ w).sum(), X, weight, grad=True)
    loss.backward()
    assert [role for role, _ in seen] == ["forward", "backward"]
    torch.testing.assert_close(weight.grad, X.sum(0)[:, None].expand(6, 3))
    assert list(tmp_path.iterdir()) == []


def test_a_joint_graph_is_divided_by_the_minimal_cut():
    weight = torch.rand(6, 3, requires_grad=True)
    seen, divided, loss = graphs_of(lambda x, w: torch.relu(x @ w).sum(), X, weight, grad=True)
    loss.backward()
    assert [role for role, _ in seen] == ["forward", "backward"]
    assert divided == [1]
    results = seen[0][1].graph.output_node().args[0]
    assert len(results) > 1, "what is saved follows what is returned"


def test_the_gradient_of_a_result_is_known_among_a_backward_graphs_inputs():
    weight = torch.rand(6, 3, requires_grad=True)
    seen, _, loss = graphs_of(lambda x, w: (x @ w).sum(), X, weight, grad=True)
    loss.backward()
    placeholders = [n for n in seen[1][1].graph.nodes if n.op == "placeholder"]
    assert [aot.is_gradient(n) for n in placeholders].count(True) == 1


def test_an_input_of_aot_autograds_is_one_of_dynamos():
    [(_, module)], _, _ = graphs_of(lambda x, y: x - y, X, X + 1)
    placeholders = [n for n in module.graph.nodes if n.op == "placeholder"]
    assert [aot.input_of(n) for n in placeholders] == [0, 1]


def test_a_graph_with_symbols_is_traced_for_the_sizes_of_a_call():
    modules = []

    def keep(module, inputs):
        modules.append(module)
        return aot.boxed(torch.fx.Interpreter(module).boxed_run)

    backend = aot.aot_backend(keep, keep, keep, min_cut)
    with torch.no_grad():
        torch.compile(lambda x: x * x.shape[0], backend=backend, dynamic=True)(X)
    (module,) = modules
    arguments = [4 if isinstance(n.meta["val"], torch.SymInt) else X
                 for n in module.graph.nodes if n.op == "placeholder"]  # fmt: skip
    concrete = aot.with_concrete_sizes(module, arguments)
    shapes = {tuple(n.meta["val"].shape) for n in concrete.graph.nodes
              if isinstance(n.meta.get("val"), torch.Tensor)}  # fmt: skip
    assert shapes == {(4, 6)}


def test_boxed_functions_are_called_with_one_list():
    call = aot.boxed(lambda args: [args[0] + 1])
    assert call([1]) == [2] and call._boxed_call is True
