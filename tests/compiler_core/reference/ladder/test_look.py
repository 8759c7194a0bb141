"""torch.compile's back ends one by one, through the real ones; TorchInductor's costs seconds of a
C++ compiler, and is left out here."""

import pytest
import torch

from compiler_core import report
from compiler_core.reference.ladder import climb, look
from compiler_core.reference.ladder.backends import RUNGS
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

SOURCE = """
    import torch

    @torch.compile
    def f(x, b):
        y = torch.nn.functional.gelu(x + b)
        print("between")
        return torch.softmax(y, -1), torch.dropout(x, 0.5, True)

    f(torch.randn(8, 16), torch.randn(16))
    """


@pytest.fixture(autouse=True)
def without_inductor(monkeypatch) -> None:
    monkeypatch.setattr(climb, "RUNGS", RUNGS[:3])


def _rows(program: report.Program) -> list[dict[str, report.Cell]]:
    (stage,) = stages_of(program, "ladder")
    (table,) = stage.tables
    titles = [c.title for c in table.columns]
    return [dict(zip(titles, row.cells, strict=True)) for row in table.rows]


def test_each_back_end_has_its_graphs_breaks_and_error() -> None:
    (program,) = looked(SOURCE, "ladder").programs
    rows = _rows(program)
    assert [r["back end"] for r in rows] == [
        "eager", "aot_eager", "aot_eager_decomp_partition",
    ]  # fmt: skip
    assert [(r["graphs"], r["breaks"]) for r in rows] == [(2, 1)] * 3
    assert all(r["first call"] > 0 and r["max abs error"] < 1e-5 for r in rows)
    assert rows[0]["verdict"] == "as torch itself, bit by bit"
    assert not [f for f in program.findings if f.compiler == "ladder"]


def _changed(name: str, change):
    """The back ends, of which one does what `change` makes of a graph."""
    real = climb.backend

    def backend(wanted: str, options):
        return change if wanted == name else real(wanted, options)

    return backend


def test_the_first_back_end_with_other_numbers_is_named(monkeypatch) -> None:
    def wrong(graph, examples):
        return lambda *inputs: [x + 1 for x in graph(*inputs)]

    monkeypatch.setattr(climb, "backend", _changed("aot_eager", wrong))
    (program,) = looked(SOURCE, "ladder").programs
    (found,) = [f for f in program.findings if f.compiler == "ladder"]
    assert (found.kind, found.category) == ("precision", "aot_eager")
    assert 'backend="eager"' in found.remedy
    assert _rows(program)[1]["verdict"].startswith("other numbers")


def test_a_back_end_that_raises_ends_none_of_the_others(monkeypatch) -> None:
    def raising(graph, examples):
        raise RuntimeError("no rule for this")

    monkeypatch.setattr(climb, "backend", _changed("aot_eager", raising))
    (program,) = looked(SOURCE, "ladder").programs
    rows = _rows(program)
    assert "no rule for this" in rows[1]["verdict"]
    assert rows[2]["verdict"].startswith(("ok", "as torch"))
    (found,) = [f for f in program.findings if f.compiler == "ladder"]
    assert (found.kind, found.category) == ("failed", "aot_eager")


def test_what_a_back_end_writes_is_compared_too(monkeypatch) -> None:
    def writing(graph, examples):
        def run(*inputs):
            result = graph(*inputs)
            next(x for x in inputs if x.shape == (8, 16)).add_(1)
            return result

        return run

    monkeypatch.setattr(climb, "backend", _changed("aot_eager", writing))
    source = """
        import torch

        @torch.compile
        def f(x, b):
            x.mul_(2)
            return b + 1

        f(torch.randn(8, 16), torch.randn(4))
        """
    (program,) = looked(source, "ladder").programs
    good, bad, _ = (r["verdict"] for r in _rows(program))
    assert good.startswith("as torch") and bad.startswith("other numbers")


def _summary(source: str) -> str:
    (program,) = looked(source, "ladder").programs
    (stage,) = stages_of(program, "ladder")
    return stage.summary


def test_the_first_back_end_that_breaks_the_graph_is_named() -> None:
    broken = "eager is the first that breaks the graph: 1 graph break"
    assert _summary(SOURCE) == f"all back ends agree; {broken}"


def test_a_break_in_a_helper_is_one_however_often_dynamo_meets_it() -> None:
    """Within its caller, within the caller's caller, and when Python calls it."""
    source = """
        import torch

        def helper(x):
            print("in a helper")
            return x * 3

        def inner(x):
            return torch.relu(helper(x))

        @torch.compile
        def f(x):
            return inner(x + 1)

        f(torch.randn(8))
        """
    (program,) = looked(source, "ladder", "dynamo").programs
    (summary,) = (each for each in program.compilers if each.compiler == "dynamo")
    assert summary.breaks.value == 1
    assert [r["breaks"] for r in _rows(program)] == [1] * 3


def test_gradients_are_recorded_as_the_snippet_records_them(monkeypatch) -> None:
    recorded = []

    def seeing(graph, examples):
        recorded.append(torch.is_grad_enabled())
        return graph.forward

    monkeypatch.setattr(climb, "backend", _changed("aot_eager", seeing))
    source = """
        import torch

        f = torch.compile(torch.nn.Linear(4, 4))
        {}
        """
    for call in ("f(torch.ones(2, 4))", "torch.no_grad()(f)(torch.ones(2, 4))"):
        looked(source.format(call), "ladder")
    assert recorded == [True, False]


def test_that_the_first_back_end_fails_says_what_it_says_and_nothing_of_one_above(
    monkeypatch,
) -> None:
    def raising(graph, examples):
        said = 'Violated! For more information, run with TORCH_LOGS="+dynamic".'
        raise RuntimeError(f"{said}\n  - 4 <= n <= 512")

    monkeypatch.setattr(climb, "backend", _changed("eager", raising))
    (program,) = looked(SOURCE, "ladder").programs
    assert _rows(program)[0]["verdict"] == "fails: RuntimeError: Violated! 4 <= n <= 512"
    (found,) = [f for f in program.findings if f.compiler == "ladder"]
    assert "above" not in found.why


def test_torch_draws_on_as_if_there_had_been_no_ladder() -> None:
    before = torch.get_rng_state()
    with climb._seeded():
        torch.rand(4)
    assert torch.equal(before, torch.get_rng_state())


def test_a_back_end_no_further_off_than_torch_itself_gives_no_other_numbers() -> None:
    exact = [torch.zeros(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64)]
    plain = [torch.tensor([0.0, 8.7]), torch.tensor([0.0, 1.0])]
    near, far = [torch.tensor([8.0, 0.0]), plain[1]], [plain[0], torch.tensor([1.5, 0.0])]
    assert climb._is_no_further(near, plain, exact)
    assert not climb._is_no_further(far, plain, exact)
    assert not climb._is_no_further([x.double() for x in plain], plain, exact)
    name = RUNGS[3].name
    error = report.Numerics(8.0, 1.0, ok=False, error="output 0 is off by 8, eager by 8.7")
    for good in (True, False):
        found = climb.Compared({name: error}, frozenset(), frozenset([name] * good))
        rung = climb.Climbed(RUNGS[3])
        assert look._is_right(rung, found) == look._verdict(rung, found).startswith("ok") == good


TRAINED = """
    import torch
    from torch import nn

    net = nn.Sequential(nn.Linear(16, 32), nn.BatchNorm1d(32), nn.GELU(), nn.Linear(32, 4))
    step = torch.compile(lambda x, y: nn.functional.cross_entropy(net(x), y))
    step(torch.randn(64, 16), torch.randint(4, (64,))).backward()
    """


def test_a_backward_pass_outside_of_what_is_compiled_breaks_no_graph_and_its_rounding_is_no_fault():
    """The gradient of a bias before a batch norm is zero but for rounding."""
    (program,) = looked(TRAINED, "ladder", "dynamo", "aot").programs
    (stage,) = stages_of(program, "ladder")
    assert stage.summary == "all back ends agree"
    assert [(r["graphs"], r["breaks"]) for r in _rows(program)] == [(1, 0)] * 3
    assert not program.graph_breaks
    assert not [f for f in program.findings if f.kind in ("precision", "graph break")]
    writes = next(s for s in stages_of(program, "aot") if s.name == "functionalization").tables[0]
    assert "input net.1.running_mean" in {row.cells[0] for row in writes.rows}
