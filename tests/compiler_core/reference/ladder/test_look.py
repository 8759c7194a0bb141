"""torch.compile's back ends one by one, through the real ones; TorchInductor's costs seconds of a
C++ compiler, and is left out here."""

import pytest
import torch

from compiler_core import report
from compiler_core.reference.ladder import climb
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


def test_torch_draws_on_as_if_there_had_been_no_ladder() -> None:
    before = torch.get_rng_state()
    with climb._seeded():
        torch.rand(4)
    assert torch.equal(before, torch.get_rng_state())
