"""What is private in TorchDynamo does what we take it to do: a new release breaks one of these."""

import contextlib
import logging

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from compiler_core.capture.torch.arguments import Arguments
from compiler_core.capture.torch.dynamo import private
from compiler_core.capture.torch.dynamo.session import Session
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


def test_settings_are_entered_where_dynamo_compiles_and_not_by_a_later_call():
    entered = []

    @contextlib.contextmanager
    def settings():
        entered.append("in")
        yield
        entered.append("out")

    torch.compiler.reset()
    doubled = torch.compile(lambda x: x * 2, backend="eager", dynamic=False)
    for rows, known in ((3, 1), (3, 1), (4, 2)):
        with private.compiling(settings):
            doubled(torch.ones(rows))
        assert entered == ["in", "out"] * known
    doubled(torch.ones(5))
    assert entered == ["in", "out"] * 2
    with private.compiling(settings):
        torch.compiler.reset()


def test_settings_are_left_where_compiling_fails():
    left = []

    @contextlib.contextmanager
    def settings():
        try:
            yield
        finally:
            left.append(True)

    def fails(module, inputs):
        raise ValueError("no")

    with pytest.raises(Exception, match="no"), private.compiling(settings):
        torch.compile(lambda x: x * 2, backend=fails)(torch.ones(3))
    assert left


def test_what_fails_where_dynamo_ends_is_raised_and_dynamo_can_be_reset():
    """It counts compilations that go on, and would count this one for ever."""

    @contextlib.contextmanager
    def ends_badly():
        yield
        raise SystemExit(3)

    torch._dynamo.reset()
    with pytest.raises(SystemExit), private.compiling(ends_badly):
        assert torch.compile(torch.sin, backend="eager")(torch.zeros(2)).sum() == 0
    torch._dynamo.reset()


def test_guards_are_timed_by_nobody_while_a_program_is_captured():
    from torch._dynamo.utils import get_compilation_metrics

    def timed() -> list[float]:
        return [each.guard_latency_us or 0 for each in get_compilation_metrics()]

    def fn(x):
        torch._dynamo.graph_break()
        return x + 1

    graphs_of(fn, X)
    assert all(timed())
    private.forget()
    session = Session(fn, Arguments((X,), {}), grad=False)
    session.compiled(session.prepare([X]))
    assert timed() == [0, 0]
