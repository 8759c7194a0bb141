"""What a captured torch program looks like, and how it is called again."""

import operator

import pytest
import torch
from torch import nn

from compiler_core.capture import capture
from compiler_core.capture.torch.text import in_words
from tests.compiler_core.capture.oracle import captured
from tests.compiler_core.snippets import explore

pytestmark = pytest.mark.cpu


def test_the_text_names_inputs_and_numbers_operations():
    layer = nn.Linear(3, 2)
    result = captured(
        "torch", lambda x, scale: layer(x).split(1, -1)[0] * scale, torch.ones(4, 3), 2
    )
    assert result.whole.text == (
        "f(%x: f32[4,3], %layer.weight: f32[2,3], %layer.bias: f32[2])\n"
        "  %0 = aten.t(%layer.weight) : f32[3,2]\n"
        "  %1 = aten.addmm(%layer.bias, %x, %0) : f32[4,2]\n"
        "  %2 = aten.split.Tensor(%1, 1, -1) : (f32[4,1], f32[4,1])\n"
        "  %3 = aten.mul.Tensor(%2#0, 2) : f32[4,1]\n"
        "  return %3\n"
    )
    assert result.whole.text_nodes == ((), (0,), (1,), (2,), (3,), ())


def test_an_operation_is_named_in_a_sentence_as_users_know_it():
    aten, higher = torch.ops.aten, torch.ops.higher_order
    named = {
        aten.native_batch_norm_backward.default: "the gradient of batch_norm",
        aten._softmax.default: "softmax",
        aten.add.Tensor: "add",
        aten.squeeze_.dim: "squeeze",
        torch.ops.quantized.add.default: "quantized.add",
        higher.cond: "cond",
        operator.getitem: "getitem",
    }
    assert [in_words(func) for func in named] == [*named.values()]


def test_two_operations_of_a_line_differ_by_column():
    found = explore("import torch\ndef f(x):\n    return x.sin() + x.cos()\n", inputs="f32[2]")
    nodes = capture(found.programs[0]).nodes
    assert [(n.op, n.line, n.column) for n in nodes] == [
        ("aten.sin", 3, 12), ("aten.cos", 3, 22), ("aten.add.Tensor", 3, 12),
    ]  # fmt: skip
    assert [n.end for n in nodes] == [19, 29, 29]


def test_results_come_back_in_their_structure():
    result = captured("torch", lambda x: {"a": [x + 1, 3], "b": x}, torch.ones(2))
    rebuilt = result.rebuild(["first", "second"])
    assert rebuilt == {"a": ["first", 3], "b": "second"}


def test_arguments_go_in_with_their_structure():
    result = captured("torch", lambda xs, by: xs["a"] * by, {"a": torch.ones(2)}, 3)
    assert result.call(["tensor"]) == (({"a": "tensor"}, 3), {})


def test_fresh_values_stay_in_the_range_of_the_old():
    given = torch.rand(1000) + 5
    result = captured("torch", torch.log, given)
    (fresh,) = result.fresh(1)
    assert not torch.equal(fresh, given)
    assert fresh.min() >= given.min()
    assert fresh.max() <= given.max()


def test_fresh_values_of_a_constant_argument_differ_from_each_other():
    (fresh,) = captured("torch", torch.log, torch.ones(100)).fresh(1)
    assert fresh.unique().numel() > 50


def test_closed_over_tensors_can_be_replaced():
    layer = nn.Linear(2, 2, bias=False)
    program = captured("torch", layer, torch.ones(1, 2))
    (result,) = program.eager([torch.ones(1, 2), torch.full((2, 2), 3.0)])
    assert result.tolist() == [[6.0, 6.0]]


def test_a_program_that_names_cuda_runs_on_the_cpu_again():
    found = explore(
        """
        # inputs: f32[2]
        import torch

        def f(x):
            return x.to("cuda") + torch.ones(2, device="cuda")
        """
    )
    result = capture(found.programs[0])
    assert result.eager(result.arguments)[0].device.type == "cpu"
    args, kwargs = result.call(result.arguments)
    assert result.native(*args, **kwargs).device.type == "cpu"
