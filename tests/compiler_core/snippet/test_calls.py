"""The different calls of a compiled function, as they were made."""

import textwrap

import pytest

from compiler_core.report import Options
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.run import find_programs

pytestmark = pytest.mark.cpu


def _program(source: str) -> FoundProgram:
    (program,) = find_programs(textwrap.dedent(source), Options(), "cpu", lambda _: None).programs
    return program


SOURCE = """
    import torch

    SCALE = 3

    @torch.compile(dynamic=False)
    def f(x, n=1):
        return x * n * SCALE

    x = torch.ones(4)
    f(x)
    f(x)
    f(torch.ones(8))
    f(x, n=2)
    with torch.no_grad():
        f(x)
    SCALE = 5
    f(x)
"""


def test_calls_that_differ_are_kept_with_what_was_so_then() -> None:
    program = _program(SOURCE)
    assert program.options == {"dynamic": False}
    assert [(c.line, tuple(c.args[0].shape), c.grad, c.plain[0][2]) for c in program.calls] == [
        (11, (4,), True, 3), (13, (8,), True, 3), (14, (4,), True, 3), (16, (4,), False, 3),
        (18, (4,), True, 5),
    ]  # fmt: skip


def test_a_call_can_be_made_as_it_was() -> None:
    import torch

    program = _program(SOURCE)
    without, after = program.calls[3], program.calls[4]
    with without.under_way():
        assert not torch.is_grad_enabled()
        assert program.module.SCALE == 3
    with after.under_way():
        assert torch.is_grad_enabled()
    assert program.module.SCALE == 5


def test_a_module_is_training_in_each_call_as_it_was() -> None:
    program = _program("""
        import torch

        m = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Dropout())
        c = torch.compile(m)
        c(torch.ones(2, 4))
        m.eval()
        c(torch.ones(2, 4))
        m.train()
        """)
    seen = []
    for call in program.calls:
        with call.under_way():
            seen.append(program.fn[1].training)
    assert seen == [True, False] and program.fn[1].training


def test_of_many_calls_ten_are_kept() -> None:
    program = _program("""
        import torch

        @torch.compile
        def f(x):
            return x + 1

        for n in range(2, 40):
            f(torch.ones(n))
        """)
    assert [c.args[0].shape[0] for c in program.calls] == list(range(2, 12))


HELD = """
    import dataclasses
    import torch

    @dataclasses.dataclass
    class Config:
        scale: float = 1.0
        causal: bool = True

    class Names:
        kind, depth = "tanh", 2

    cfg, names = Config(), Names()

    @torch.compile
    def f(x, cfg):
        return (x.tanh() if names.kind == "tanh" else x) * cfg.scale

    x = torch.ones(4)
    f(x, cfg)
    f(x, cfg)
    cfg.scale = 2.0
    f(x, cfg)
    names.kind = "none"
    f(x, cfg)
"""


def test_what_objects_of_the_snippets_classes_hold_is_as_it_was_in_each_call() -> None:
    program = _program(HELD)
    assert [call.line for call in program.calls] == [20, 23, 25]
    cfg, names = program.module.cfg, program.module.names
    held = []
    for call in program.calls:
        with call.under_way():
            held.append((cfg.scale, cfg.causal, names.kind))
            assert "depth" not in vars(names)
    assert held == [(1.0, True, "tanh"), (2.0, True, "tanh"), (2.0, True, "none")]
    assert (cfg.scale, names.kind) == (2.0, "none") and vars(type(names)()) == {}
