"""A step of training: forward and backward graphs, what is saved between them, the optimizer."""

import copy

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from compiler_core.capture import capture
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


def test_the_step_of_an_optimizer_has_its_class_name_and_torchs_break_a_remedy():
    (program,) = explore(STEPS.replace("SGD", "AdamW")).programs
    result = capture(program)
    assert [g.name for g in result.graphs][4:] == ["piece 1 of 2 (AdamW.step)", "piece 2 of 2"]
    (found,) = (b for b in result.graph_breaks if b.line == 13)
    assert found.reason.startswith("an optimizer's step begins a graph of its own")
    assert "torch.compile(optimizer.step)" in found.remedy


def test_a_break_that_the_snippet_asks_for_is_said_to_be_its_own():
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2 if y.sum() > 0 else y

    with also_own(__file__):
        first, _ = captured("torch", f, X).graph_breaks
    assert first.reason == "the snippet asks for a graph break here"


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
