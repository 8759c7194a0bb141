"""What a program, or a fault in it, leaves switched is put back before the next one."""

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from compiler_core import report
from compiler_core.pipeline.order import explore
from compiler_core.snippet.devices import OnCpu
from compiler_core.snippet.modes import Modes
from tests.compiler_core.pipeline.faults import TWO, Recorder

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]

OPTIONS = report.Options(device="cpu", target="sm_90", measure=False)


def explored(source: str) -> report.Report:
    recorded = Recorder()
    explore(source, OPTIONS, recorded)
    return recorded.report


def test_modes_are_put_back_whatever_has_changed() -> None:
    before, state = Modes.now(), torch.get_rng_state()
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    torch.use_deterministic_algorithms(True)
    torch.set_autocast_enabled("cpu", True)
    torch.manual_seed(77)
    OnCpu(lambda what: None).__enter__()
    TorchDispatchMode().__enter__()
    before.restore()
    assert torch.is_grad_enabled() and torch.get_default_dtype() is torch.float32
    assert not torch.are_deterministic_algorithms_enabled()
    assert not torch.is_autocast_enabled("cpu")
    assert torch.equal(torch.get_rng_state(), state)
    assert Modes.now().depths == before.depths


LEFT_ON = """
import torch

@torch.compile
def first(x):
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    return x + 1

@torch.compile
def second(x):
    loss = (x * torch.ones(4)).sum()
    loss.backward()
    return loss

x = torch.ones(4, requires_grad=True)
with torch.enable_grad():
    second(x)
first(torch.ones(4))
torch.set_grad_enabled(True)
torch.set_default_dtype(torch.float32)
"""


FAKE = """
import torch
from torch._subclasses import FakeTensorMode

FakeTensorMode().__enter__()

@torch.compile
def f(x):
    return x + 1

f(torch.ones(4))
"""


def test_a_dispatch_mode_that_a_snippet_leaves_on_is_none_of_the_compilers() -> None:
    """Tensors of a FakeTensorMode have no memory: the process ended where it was read."""
    depths = Modes.now().depths
    (program,) = explored(FAKE).programs
    assert (program.status, program.inputs) == ("ok", ["f32[4]"])
    assert Modes.now().depths == depths


def test_what_a_program_switches_is_not_for_the_next() -> None:
    programs = {p.name: p for p in explored(LEFT_ON + "second(x)\n").programs}
    assert all(p.status == "ok" for p in programs.values())
    assert programs["second"].inputs == ["f32[4]"]
    assert torch.is_grad_enabled() and torch.get_default_dtype() is torch.float32


def test_a_mode_that_raises_where_gradients_are_switched_on_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """torch asks every mode of functions, also where a context manager ends."""
    real, raised = OnCpu.__torch_function__, []

    def raising(self: OnCpu, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch._C._set_grad_enabled and args == (True,) and not raised:
            raised.append(func)
            raise RuntimeError("on the way out")
        return real(self, func, types, args, kwargs)

    monkeypatch.setattr(OnCpu, "__torch_function__", raising)
    explored(TWO)
    assert raised and torch.is_grad_enabled()


CALLED = """
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout())
compiled = torch.compile(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(4, 8)

model.eval()
with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
    compiled(x)
model.train()
"""


def test_a_program_is_compiled_as_it_was_called() -> None:
    """Evaluating, so that nothing is dropped and no running mean changes; under autocast."""
    (program,) = explored(CALLED).programs
    captured = next(a.text for s in program.stages for a in s.artifacts if a.kind == "captured")
    assert "batch_norm" in captured and "native_batch_norm_legit(" not in captured
    assert "dropout" not in captured and "bf16[4,8]" in captured
    assert program.numerics["core"].ok and program.error is None


RETYPED = """
import torch

@torch.compile
def f(x):
    return torch.full((4,), 1.5) * x

f(torch.ones(4))
torch.set_default_dtype(torch.float64)
"""


def test_a_program_is_compiled_under_the_settings_of_its_call() -> None:
    (program,) = explored(RETYPED).programs
    captured = next(a.text for s in program.stages for a in s.artifacts if a.kind == "captured")
    assert "f64" not in captured and program.numerics["core"].ok
    assert torch.get_default_dtype() is torch.float32
