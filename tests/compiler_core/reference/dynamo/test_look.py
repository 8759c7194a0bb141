"""TorchDynamo opened up, through the real one."""

import textwrap

import pytest
import torch

from compiler_core import report
from compiler_core.capture.torch.capture import capture
from compiler_core.pipeline.order import explore
from compiler_core.reference.dynamo.look import look
from compiler_core.reference.subject import Subject
from compiler_core.snippet.run import find_programs
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu


def _looked(source: str) -> report.Program:
    (program,) = looked(source, "dynamo").programs
    return program


def _findings(program: report.Program) -> list[tuple[str, int | None, list[int], str]]:
    return [(f.kind, f.line, f.stack, f.category) for f in _caused(program)]


def _caused(program: report.Program) -> list[report.Finding]:
    """What happened, without what may happen yet."""
    own = [f for f in program.findings if f.compiler == "dynamo"]
    return [f for f in own if f.kind != "specialised"]


BREAKS = """
import torch

def g(y):
    return y * y.sum().item()

@torch.compile
def f(x, b):
    y = torch.relu(x + b) * 2
    y = g(y)
    for i in range(2):
        y = y + i
        print(i)
    return y

f(torch.ones(8, 16), torch.ones(16))
"""


@pytest.fixture(scope="module")
def broken() -> report.Program:
    return _looked(BREAKS)


def test_each_break_is_found_once_with_the_users_whole_stack(broken) -> None:
    item = "Unsupported Tensor.item() call with capture_scalar_outputs=False"
    assert _findings(broken) == [
        ("graph break", 5, [10, 5], item),
        ("graph break", 13, [13], "Failed to trace builtin operator"),
    ]


def test_a_break_says_what_python_runs_and_what_is_left_of_the_function(broken) -> None:
    in_helper, in_loop = _caused(broken)
    assert "Python runs line 10: g(y)" in in_helper.why
    assert "Python runs all of the rest of f from line 10" in in_loop.why
    assert "move it out of the loop" in in_loop.remedy


def test_a_graph_leads_to_the_captured_operations_of_its_lines(broken) -> None:
    first = next(s for s in stages_of(broken, "dynamo") if s.name == "f [0/0]")
    graph, function = first.artifacts
    ops = {n.id: n.op for n in broken.nodes}
    line = next(i for i, t in enumerate(graph.text.splitlines()) if " = l_x_ + l_b_" in t)
    assert [ops[i] for i in graph.nodes[line]] == ["aten.add.Tensor"]
    assert "Python runs, in line 10: g(y)" in function.text


def test_a_break_costs_what_python_takes_until_the_next_graph() -> None:
    """With the whole of a helper that breaks within, and not what stands before the graph."""
    program = _looked("""
        import time
        import torch

        def helper(x):
            y = x.sin()
            time.sleep(0.004)
            return y * 2

        @torch.compile
        def f(x):
            y = helper(x + 1)
            print("here")
            return y.cos()

        f(torch.ones(4))
        """)
    slept, printed = _caused(program)
    assert (slept.line, printed.line) == (7, 13)
    assert 4_000 <= slept.us < 40_000 and 0 < printed.us < 4_000
    (stage,) = [s for s in stages_of(program, "dynamo") if s.name == "graph breaks"]
    assert [row.cells[4] for row in stage.tables[0].rows] == [slept.us, printed.us]


def test_a_break_before_the_first_graph_costs_the_time_until_that() -> None:
    program = _looked("""
        import time
        import torch

        @torch.compile
        def f(x):
            time.sleep(0.004)
            y = x.cos()
            print("here")
            return y * 2

        f(torch.ones(4))
        """)
    slept, printed = _caused(program)
    assert (slept.line, printed.line) == (7, 9)
    assert 4_000 <= slept.us < 40_000 and 0 < printed.us < 4_000


def test_looking_takes_nothing_from_a_program_that_lives_on_what_dynamo_compiled() -> None:
    source = """
        import torch

        @torch.compile
        def f(x):
            y = x.sin()
            print("here")
            return y.cos()

        f(torch.ones(4))
        """
    asked = report.Options(insides=("dynamo",), measure=False)
    result = report.Report()
    explore(textwrap.dedent(source), asked, lambda event: report.apply(result, event))
    (program,) = result.programs
    assert program.numerics["core"].ok
    assert [f.line for f in _caused(program)] == [7]
    # Another compilation is told as a notice.
    assert result.notices == []


def test_what_fullgraph_raises_is_told_with_its_place() -> None:
    program = _looked("""
        import torch

        @torch.compile(fullgraph=True)
        def f(x):
            if x.sum() > 0:
                return x + 1
            return x.sin()

        f(torch.ones(4))
        """)
    assert _findings(program) == [("failed", 6, [6], "Data-dependent branching")]
    first, *_ = stages_of(program, "dynamo")
    assert first.status == "failed" and "fullgraph=True" in first.summary


def test_what_a_module_of_torchs_reads_is_guarded_at_the_line_that_calls_it() -> None:
    program = _looked("""
        import torch

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.up = torch.nn.Linear(16, 32)

            def forward(self, x):
                y = self.up(x)
                return torch.relu(y)

        net = torch.compile(Net())
        net(torch.randn(4, 16))
        """)
    (table,) = (t for s in stages_of(program, "dynamo") for t in s.tables if t.name == "guards")
    lines = {row.line for row in table.rows if row.cells[1] == "tensor"}
    (sizes,) = (f for f in program.findings if f.kind == "specialised")
    assert lines == {10} and sizes.line == 10


def test_a_program_that_writes_leaves_no_trace() -> None:
    source = """
        import torch

        norm = torch.nn.BatchNorm1d(4)

        @torch.compile
        def f(x):
            x.add_(1)
            return norm(x)

        f(torch.ones(2, 4))
        """
    asked = report.Options()
    (program,) = find_programs(textwrap.dedent(source), asked, "cpu", lambda _: None).programs
    (x,), norm = program.args, program.module.norm
    before = [x.clone(), norm.running_mean.clone(), norm.num_batches_tracked.clone()]
    found = list(look(Subject(program, capture(program), asked)))
    assert [f.kind for f in found if isinstance(f, report.Finding)] == ["specialised"]
    after = [x, norm.running_mean, norm.num_batches_tracked]
    assert all(map(torch.equal, before, after))


def test_a_program_of_jax_has_one_sentence() -> None:
    program = _looked("""
        import jax, jax.numpy as jnp

        jax.jit(lambda x: x + 1)(jnp.ones(4))
        """)
    (stage,) = [s for s in program.stages if s.name == "insides"]
    assert (stage.status, stage.compiler) == ("skipped", "dynamo")
