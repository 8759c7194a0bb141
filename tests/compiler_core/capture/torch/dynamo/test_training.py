"""A step of training: forward and backward graphs, what is saved between them, the optimizer."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from compiler_core.capture import capture
from compiler_core.capture.torch.dynamo import private
from compiler_core.capture.torch.dynamo.breaks import FAILS
from compiler_core.snippet.execute import as_main
from compiler_core.snippet.source import also_own
from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.compiler_core.snippets import explore
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

X, Y = torch.linspace(-2, 2, 48).reshape(8, 6), torch.linspace(0, 1, 16).reshape(8, 2)


def step_with(make):
    """A step of a small network's training, and the network."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 2))
    optimizer = make(model.parameters())

    def step(x, y):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, model


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01),
}


@pytest.mark.parametrize("name", thinned(OPTIMIZERS, kept=("adamw",)))
def test_step(name):
    """Loss, parameters, gradients and the optimizer's state are what eager makes them."""
    step, _ = step_with(OPTIMIZERS[name])
    result = agrees(captured("torch", step, X, Y))
    assert [g.role for g in result.graphs] == ["forward", "backward", "piece"]
    assert library_calls(result) == []


@pytest.mark.parametrize("name", ["momentum", "adam"])
def test_a_step_that_makes_its_optimizers_state_is_compiled_once_however_often_it_is_run(name):
    """Dynamo compiles a step for the tensors that an optimizer keeps, up to eight times."""
    torch.manual_seed(0)
    model = nn.Linear(6, 2)
    optimizer = OPTIMIZERS[name](model.parameters())

    def step(x, y):
        F.mse_loss(model(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()

    session = captured("torch", step, X, Y).session
    graphs = len(session.recorder.pieces)
    for _ in range(10):
        session.compiled(session.prepare((X, Y)))
        session.compiled(session.arguments.call([X, Y]))
    session.restore()
    assert len(session.recorder.pieces) == graphs
    assert not optimizer.state


def test_a_view_of_what_torch_lays_out_otherwise_than_it_was_traced():
    """Codes are looked up channels last, and what they quantise is not."""
    torch.manual_seed(0)
    codes = nn.Embedding(5, 3)

    def step(x):
        flat = x.permute(0, 2, 3, 1).reshape(-1, 3)
        nearest = torch.cdist(flat, codes.weight).argmin(1)
        found = codes(nearest).view(2, 4, 4, 3).permute(0, 3, 1, 2)
        loss = F.mse_loss(found, x)
        loss.backward()
        return loss, codes.weight.grad

    result = agrees(captured("torch", step, torch.randn(2, 3, 4, 4)))
    assert [g.role for g in result.graphs] == ["forward", "backward"]


def test_a_batch_norm_that_comes_first():
    """Nothing asks for the gradient of what it reads."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 2))

    def step(x, y):
        loss = F.mse_loss(model(x), y)
        loss.backward()
        return loss

    assert library_calls(agrees(captured("torch", step, X, Y))) == []


def test_capturing_changes_neither_parameters_nor_gradients():
    step, model = step_with(OPTIMIZERS["sgd"])
    before = copy.deepcopy(model.state_dict())
    captured("torch", step, X, Y)
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name])
    assert all(p.grad is None for p in model.parameters())


def test_what_is_saved_between_forward_and_backward():
    step, _ = step_with(OPTIMIZERS["sgd"])
    forward = captured("torch", step, X, Y).graphs[0]
    kept = {s.name: (s.type, s.bytes) for s in forward.saved}
    # The input, the second weight, the target; ReLU's result and the network's own.
    assert sorted(kept.values()) == sorted(
        [
            ("f32[8,6]", 192),
            ("f32[2,5]", 40),
            ("f32[8,2]", 64),
            ("f32[8,5]", 160),
            ("f32[8,2]", 64),
        ]
    )
    assert [bool(s.nodes) for s in forward.saved] == [False, False, False, True, True]


def test_one_of_several_results_is_saved_under_the_name_of_its_operation():
    layer = nn.LayerNorm(6)

    def step(x):
        layer(x).sin().sum().backward()
        return layer.weight.grad

    forward = captured("torch", step, X).graphs[0]
    names = {s.name for s in forward.saved}
    assert {"native_layer_norm[1]", "native_layer_norm[2]"} <= names
    assert not any("getitem" in name for name in names)


def test_the_reference_computes_in_float64():
    step, _ = step_with(OPTIMIZERS["adam"])
    result = captured("torch", step, X, Y)
    exact, own = result.session.exact(result.arguments), result.eager(result.arguments)
    assert len(exact) == len(own)
    assert {x.dtype for x in exact} == {torch.float64}
    for x, y in zip(exact, own, strict=True):
        torch.testing.assert_close(x.float(), y, atol=1e-5, rtol=1e-5)


def test_the_reference_widens_types_that_the_program_names():
    def f(x):
        y = torch.zeros(4, 6, dtype=torch.float16) + x.half() + torch.tensor(0.1)
        if y.sum() > 0:
            return y.float() * 2
        return y.float()

    x = torch.full((4, 6), 1 / 3)
    result = captured("torch", f, x)
    (exact, *_) = result.session.exact([x])
    assert exact[0, 0].item() == pytest.approx(2 * (x[0, 0].item() + 0.1), abs=1e-8)


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


CHECKPOINTED = """
import torch
from torch.utils.checkpoint import checkpoint

net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8))

@torch.compile
def step(x):
    loss = checkpoint(lambda v: torch.sin(net(v)), x, use_reentrant=False).square().mean()
    loss.backward()
    return loss

kept = step(torch.linspace(-1, 2, 16).reshape(2, 8).requires_grad_())
"""


def test_a_checkpointed_graph_that_is_compiled_anew_is_the_same_one():
    """torch counts checkpointed regions, and says the number in the text of the graph."""
    (program,) = explore(CHECKPOINTED).programs
    with as_main(program.module):
        found = capture(program)
        private.forget()
        found.session.compiled(found.session.prepare(found.arguments))
        found.session.restore()
    assert len(found.session.recorder.pieces) == len(found.graphs) == 2


def test_a_checkpoint_of_a_function_inside_a_training_step_has_its_reference_in_float64():
    (program,) = explore(CHECKPOINTED).programs
    with as_main(program.module):
        found = capture(program)
        outputs = found.session.exact(found.arguments)
        found.session.restore()
    assert {x.dtype for x in outputs} == {torch.float64}
    # The loss; x and its gradient; four parameters and their gradients.
    assert len(outputs) == 1 + 2 + 8


STEPS = """
    # inputs: f32[8,6]
    import torch
    net = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        h = net(x)
        print("forward")
        loss = h.square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()
"""


def test_graphs_and_the_python_between_them_stand_as_they_run():
    """The backward graphs run at loss.backward(), the later one first, and before the optimizer."""
    (program,) = explore(STEPS).programs
    result = capture(program)
    roles = [g.role for g in result.graphs]
    assert roles == ["forward", "forward", "backward", "backward", "piece", "piece"]
    assert [g.id for g in result.graphs] == [f"{role}{i}" for i, role in enumerate(roles)]
    between = {s.text.strip(): s.after for s in result.python}
    assert between["loss.backward()"] == "forward1"
    assert between["optimizer.step()"] == "backward3"
    assert result.graphs[0].joint and result.graphs[1].joint
    agrees(result)


def test_the_step_of_an_optimizer_has_its_class_name_and_a_break_of_torchs():
    (program,) = explore(STEPS.replace("SGD", "AdamW")).programs
    result = capture(program)
    assert [g.name for g in result.graphs][4:] == ["piece 1 of 2 (AdamW.step)", "piece 2 of 2"]
    (reason,) = (b.reason for b in result.graph_breaks if b.line == 13)
    assert reason.startswith("torch asks for a break before what is called here")


def test_a_break_that_the_snippet_asks_for_is_said_to_be_its_own():
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2 if y.sum() > 0 else y

    with also_own(__file__):
        first, _ = captured("torch", f, X).graph_breaks
    assert first.reason == "the snippet asks for a graph break here"


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


HOOKED = """
    import torch

    @torch.compile
    def f(x):
        y = x * 2
        y.register_hook(lambda g: g * 3)
        y.sum().backward()
        return x.grad

    f(torch.ones(3, requires_grad=True))
"""


def test_a_hook_on_a_gradient_runs_between_the_graphs():
    (program,) = explore(HOOKED).programs
    with as_main(program.module):
        result = agrees(capture(program))
    assert [g.role for g in result.graphs][:2] == ["forward", "backward"]
    assert result.eager(result.arguments)[0].tolist() == [6, 6, 6]


def scaled_and_scheduled(model, optimizer, scaler, scheduler, x, y):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), y)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    scheduler.step()
    return loss


def test_the_rate_of_a_scheduler_and_the_scale_of_a_scaler_are_put_back():
    """Each run begins with them as they were; as arguments, and where the program names them."""
    model = nn.Linear(6, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)

    def named(x, y):
        return scaled_and_scheduled(model, optimizer, scaler, scheduler, x, y)

    for fn, args in (
        (scaled_and_scheduled, (model, optimizer, scaler, scheduler, X, Y)),
        (named, (X, Y)),
    ):
        session = captured("torch", fn, *args).session
        assert session is not None
        runs = []
        for _ in range(3):
            session.eager(session.prepare([X, Y]))
            runs.append((model.weight.detach().clone(), optimizer.param_groups[0]["lr"]))
        assert [lr for _, lr in runs] == [0.05] * 3
        assert all(torch.equal(w, runs[0][0]) for w, _ in runs)
        session.restore()
        assert optimizer.param_groups[0]["lr"] == 0.5 and scheduler.last_epoch == 0


@torch.library.custom_op("fuselab_tests::with_first_again", mutates_args=())
def with_first_again(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, x[:1]])


@with_first_again.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    # One element less than there is: what its author got wrong.
    return torch.empty_like(x)


def _gradient_of_it(ctx, grad):
    (out,) = ctx.saved_tensors
    return (grad * out)[: ctx.size]


def _kept_for_it(ctx, inputs, output):
    ctx.size = inputs[0].shape[0]
    ctx.save_for_backward(output)


with_first_again.register_autograd(_gradient_of_it, setup_context=_kept_for_it)


def test_a_backward_graph_that_torch_cannot_run_is_said_with_what_it_raises():
    def step(x):
        with_first_again(x).sum().backward()
        return x.grad

    result = agrees(captured("torch", step, torch.ones(8, requires_grad=True)))
    assert [g.role for g in result.graphs] != ["forward", "backward"]
    begins, ends = FAILS.split("{}")
    (said,) = [b.reason for b in result.graph_breaks if b.reason.startswith(begins)]
    assert said.startswith(begins) and said.endswith(ends), said
    assert "size of tensor a (8) must match" in said
