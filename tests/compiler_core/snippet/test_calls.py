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


def test_a_call_is_made_under_the_settings_that_held_then() -> None:
    import torch

    program = _program("""
        import torch

        @torch.compile
        def f(x):
            return torch.full((4,), 1.5) * x

        x = torch.ones(4)
        f(x)
        torch.set_default_dtype(torch.float64)
        f(x)
        torch.use_deterministic_algorithms(True, warn_only=True)
        f(x)
        f(x)
        """)
    try:
        assert [c.line for c in program.calls] == [9, 11, 13]
        seen = []
        for call in program.calls:
            with call.under_way():
                seen.append(
                    (program.fn(*call.args).dtype, torch.are_deterministic_algorithms_enabled())
                )
        assert seen == [
            (torch.float32, False), (torch.float64, False), (torch.float64, True),
        ]  # fmt: skip
        assert torch.get_default_dtype() is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
        torch.use_deterministic_algorithms(False)


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
    assert program.calls_left_out == (9,) * 28


def test_what_a_function_closes_over_is_as_it_was_in_each_call() -> None:
    """By the function itself, and by one that it is given."""
    ran = find_programs(textwrap.dedent(CLOSED), Options(), "cpu", lambda _: None).programs
    g, apply = ran if ran[0].name == "g" else reversed(ran)
    seen = []
    for call in g.calls:
        with call.under_way():
            seen.append(g.fn(*call.args).item())
    assert seen == [0.0, 1.0, 2.0] and g.fn(*g.args).item() == 2.0
    assert [was for _, name, was in g.before if name == "k"] == [0]
    assert [call.args[0](1) for call in apply.calls] == [1.0, 2.0]


CLOSED = """
    import torch

    def outer():
        k = 0

        @torch.compile
        def g(x):
            return x * k

        for k in range(3):
            g(torch.tensor(1.0))

    outer()

    @torch.compile
    def apply(fn, x):
        return fn(x) + 1

    x = torch.ones(4)
    def make(scale):
        return lambda x: x * scale

    for scale in (1.0, 2.0, 2.0):
        apply(make(scale), x)
"""


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
