"""A program of several graphs goes through every stage, graph by graph, and is checked and timed
as the whole that it is."""

import pytest
import torch

from compiler_core import report
from tests.compiler_core.pipeline.several import events_of, program_of

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

# Each of these two is explored once, and measured.
DECIDES = """# inputs: f32[64,32], f32[32]
import torch

def f(x, b):
    y = torch.nn.functional.gelu(x + b)
    if y.sum() > 0:
        print("positive")
        return y * 2
    return y.sin()
"""
TRAINS = """
import torch

model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.GELU(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

@torch.compile
def step(x, y):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss

for _ in range(2):
    step(torch.rand(8, 16), torch.rand(8, 4))
"""


@pytest.mark.parametrize("source", (DECIDES, TRAINS), ids=("decides", "trains"))
def test_every_graph_has_kernels_stages_and_buffers_of_its_own(source: str) -> None:
    program = program_of(source, measure=True)
    root, *graphs = program.graphs
    assert root.id == report.WHOLE and {g.parent for g in graphs} == {report.WHOLE}
    ids = {g.id for g in graphs}
    assert {k.graph for k in program.kernels} == ids
    assert {b.graph for b in program.buffers} == ids
    assert {n.graph for n in program.nodes} == ids
    for name in ("capture", "fuse", "schedule", "triton", "c"):
        assert ids <= {s.graph for s in program.stages if s.name == name}, name


@pytest.mark.parametrize("source", (DECIDES, TRAINS), ids=("decides", "trains"))
def test_every_kernel_is_native_and_leads_back_to_the_snippet(source: str) -> None:
    program = program_of(source, measure=True)
    assert program.summary.native_share == 1.0
    assert all(k.lines for k in program.kernels)
    known = {n.id for n in program.nodes}
    assert all(set(k.nodes) <= known for k in program.kernels)


@pytest.mark.parametrize("source", (DECIDES, TRAINS), ids=("decides", "trains"))
def test_the_whole_is_checked_and_timed(source: str) -> None:
    program = program_of(source, measure=True)
    assert set(program.numerics) == set(program.timings) == {"eager", "core"}
    assert program.numerics["core"].ok, program.numerics["core"].error
    assert program.timings["core"].samples >= 20


def test_the_summary_is_of_all_graphs() -> None:
    program = program_of(DECIDES, measure=True)
    assert program.summary.ops_captured == len(program.nodes) == 5
    ran = [k for k in program.kernels if k.backend == program.backend]
    assert program.summary.launches_core == len(ran)


def test_graph_breaks_and_the_python_between_are_told() -> None:
    program = program_of(DECIDES, measure=True)
    assert [b.line for b in program.graph_breaks] == [6, 7]
    assert [(s.first_line, s.last_line) for s in program.python] == [(6, 7)]


def test_a_training_step_tells_what_its_forward_graph_saves() -> None:
    program = program_of(TRAINS, measure=True)
    forward, backward, update = program.graphs[1:]
    assert [g.role for g in (forward, backward, update)] == ["forward", "backward", "piece"]
    assert sum(s.bytes for s in forward.saved) > 0 and not backward.saved
    assert "SGD.step" in update.name


def test_a_snippet_is_left_as_its_runs_found_it() -> None:
    """What the program has printed while it was found is not printed again."""
    printed = "".join(
        e.text for e in events_of(DECIDES, measure=True) if isinstance(e, report.Printed)
    )
    assert printed == "positive\n"


LOOPS = """
import jax
import jax.numpy as jnp


@jax.jit
def newton(x):
    def step(state):
        count, y = state
        return count + 1, 0.5 * (y + x / y)

    _, y = jax.lax.while_loop(lambda state: state[0] < 20, step, (0, jnp.ones_like(x)))
    return jax.lax.cond(y.sum() > 0, lambda v: v * 2, lambda v: -v, y)


newton(jnp.ones((8, 16)))
"""


def test_regions_are_graphs_within_the_graph_that_holds_them() -> None:
    root, *regions = program_of(LOOPS).graphs
    assert [(g.name, g.role, g.line) for g in regions] == [
        ("while cond", "body", 12),
        ("while body", "body", 10),
        ("case branch0", "branch", 13),
        ("case branch1", "branch", 13),
    ]
    assert {g.parent for g in regions} == {root.id}


@pytest.mark.parametrize("backend", ("cpu", "gpu"))
def test_kernels_and_buffers_of_a_region_say_so(backend: str) -> None:
    program = program_of(LOOPS)
    ids = {graph.id for graph in program.graphs}
    kernels = [k for k in program.kernels if k.backend == backend]
    assert {k.graph for k in kernels} == ids
    assert {b.graph for b in program.buffers if b.backend == backend} == ids
    assert {n.graph for n in program.nodes} == ids
    body = next(g.id for g in program.graphs if g.name == "while body")
    nodes = {n.id for n in program.nodes if n.graph == body}
    inner = [k for k in kernels if k.graph == body]
    assert inner == [k for k in kernels if k.id.startswith("k2_body")]
    assert nodes <= {n for k in inner for n in k.nodes}


SCATTERS = """
import jax
import jax.numpy as jnp


@jax.jit
def counts(words):
    return jax.lax.fori_loop(0, 3, lambda i, c: c.at[words].add(1.0), jnp.zeros(10))


counts(jnp.array([1, 2, 2]))
"""
LOOKS_UP = """
import torch

table = torch.randn(20, 8, requires_grad=True)


@torch.compile
def lookup(ids):
    return torch.nn.functional.embedding(ids, table)


lookup(torch.tensor([1, 2, 2])).sum().backward()
"""


@pytest.mark.parametrize("source", (SCATTERS, LOOKS_UP), ids=("loop", "backward"))
def test_kernels_that_scatter_are_of_the_graph_that_scatters(source: str) -> None:
    program = program_of(source)
    (graph,) = {k.graph for k in program.kernels if "scatter" in k.id}
    assert graph in [g.id for g in program.graphs if g.role in ("body", "backward")]
    assert graph in {b.graph for b in program.buffers}


def test_the_joint_graph_leads_to_the_forward_and_the_backward_operations() -> None:
    program = program_of(TRAINS, measure=True)
    forward, backward = (g.id for g in program.graphs if g.role in ("forward", "backward"))
    (joint,) = [s for s in program.stages if s.name == "joint"]
    assert joint.graph == forward and "cut into forward and backward" in joint.summary
    (text,) = joint.artifacts
    linked = {n for line in text.nodes for n in line}
    cut = {n.id for n in program.nodes if n.graph in (forward, backward)}
    assert linked == cut
    (line,) = [i for i, line in enumerate(text.text.splitlines()) if "mse_loss(" in line]
    assert {n.graph for n in program.nodes if n.id in text.nodes[line]} == {forward}


def test_a_program_without_gradients_has_no_joint_graph() -> None:
    assert "joint" not in {s.name for s in program_of(DECIDES, measure=True).stages}


def test_one_snippet_does_not_see_the_names_of_another() -> None:
    program_of(LOOKS_UP)
    program_of(LOOKS_UP.replace("table", "rows"))


LIBRARY_BRANCHES = """
import jax
import jax.numpy as jnp


@jax.jit
def chosen(x):
    y = x * 2
    return jax.lax.cond(y.sum() > 0, jnp.exp, jnp.negative, y)


chosen(jnp.ones((8, 16)))
"""


def test_a_branch_without_lines_of_its_own_is_where_it_is_chosen() -> None:
    assert [g.line for g in program_of(LIBRARY_BRANCHES).graphs[1:]] == [9, 9]


NOT_IN_FLOAT64 = """# inputs: f32[8,4]
import torch

def f(x):
    y = x * 2
    if y.sum() > 1e9:
        return y
    return y.view(torch.int32) + torch.zeros(8, 4, dtype=torch.int32)
"""


def test_a_program_that_does_not_run_in_float64_is_held_against_eager_and_says_why() -> None:
    program = program_of(NOT_IN_FLOAT64)
    (numerics,) = [s for s in program.stages if s.name == "numerics"]
    assert numerics.status == "ok" and program.numerics["core"].ok
    assert "the program does not run in float64: TypeError: it reads" in numerics.summary


VALUES = {
    "capture_scalar_outputs": """
    n = at.max().item()
    torch._check(n >= 0)
    torch._check(n < a.shape[0])
    return torch.relu(a[n]) * 2""",
    "capture_dynamic_output_shape_ops": """
    n = torch.nonzero(at)[:, 0]
    return torch.relu(a[n]) * 2""",
}


@pytest.mark.parametrize("option", VALUES)
def test_a_snippet_that_has_values_in_its_graphs_is_compiled_around_them(option: str) -> None:
    """As it sets TorchDynamo, a graph has numbers and sizes that only values say."""
    source = (
        f"import torch\ntorch._dynamo.config.{option} = True\n@torch.compile\ndef f(a, at):"
        f"{VALUES[option]}\nf(torch.randn(10, 4), torch.randint(0, 10, (5,)))\n"
    )
    with torch._dynamo.config.patch({option: False}):  # and that it is left so
        program = program_of(source)
    assert program.numerics["core"].ok and len(program.graph_breaks) == 1
