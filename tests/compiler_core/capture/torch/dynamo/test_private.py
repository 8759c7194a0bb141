"""What is private in TorchDynamo does what we take it to do: a new release breaks one of these."""

import logging

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from compiler_core.capture.torch.dynamo import private
from compiler_core.snippet.output import unlogged
from tests.compiler_core.capture.torch.dynamo.aot_graphs import X, graphs_of

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("dynamo_forgotten")]


def test_dynamo_says_what_its_inputs_are_called_and_whose_code_it_traced():
    seen = []

    def backend(module, inputs):
        names = [private.source_name(n) for n in module.graph.nodes if n.op == "placeholder"]
        seen.append((names, private.part_of(module)))
        return module.forward

    torch.compile(lambda x: x + 1, backend=backend)(X)
    # This file is no snippet's: it counts as somebody else's code.
    assert seen == [(["L['x']"], "test_private.<lambda>")]


def test_break_reasons_have_a_text_and_a_stack():
    def fn(x):
        if x.sum() > 0:
            return x + 1
        return x

    graphs_of(fn, X)
    reason, *_ = private.break_reasons()
    assert "generic_jump" in str(reason.reason)
    assert reason.user_stack[-1].lineno > 0
    private.forget()
    assert private.break_reasons() == []


def test_code_is_heard_as_it_was_and_as_it_is_left():
    heard = []

    def fn(x):
        return x + 1

    with private.on_bytecode(lambda old, new: heard.append((old.co_name, old is new))):
        graphs_of(fn, X)
    graphs_of(lambda x: x * 2, X)
    assert heard == [("fn", False)]


def test_dynamos_advice_is_not_logged(logged):
    def fn(x):
        return x * x.sum().item()

    with unlogged():
        graphs_of(fn, X)
    assert not [r for r in logged if r.levelno == logging.WARNING]


def test_fake_tensors_know_their_mode():
    with FakeTensorMode() as mode:
        assert torch.empty(2).fake_mode is mode
