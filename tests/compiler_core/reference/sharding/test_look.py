"""JAX programs on a mesh of eight devices, looked into: who holds what, what is sent and why."""

from pathlib import Path

import numpy as np
import pytest

from compiler_core import report
from compiler_core.reference.sharding import texts
from tests.compiler_core.on_a_mesh import HEAD
from tests.compiler_core.reference.looking import looked, stages_of
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

TWO_LAYERS = (
    HEAD
    + """
x = jax.device_put(x, NamedSharding(mesh, P("data", None)))
u = jax.device_put(jnp.ones((16, 64)), NamedSharding(mesh, P(None, "model")))
v = jax.device_put(jnp.ones((64, 8)), NamedSharding(mesh, P("model", None)))


@jax.jit
def f(x, u, v, c):
    h = jax.nn.relu(x @ u)
    return (h @ v) * c[:8], h


f(x, u, v, jnp.ones((512,)))
"""
)
BASE = HEAD.count("\n") + 7  # the line of `def f`


@pytest.fixture(scope="module")
def layers(mesh_process) -> report.Program:
    (program,) = mesh_process.submit(looked, TWO_LAYERS, "sharding").result().programs
    return program


def stage(program: report.Program, name: str) -> report.Stage:
    return next(s for s in stages_of(program, "sharding") if s.name == name)


def table(program: report.Program, name: str) -> report.Table:
    tables = [t for s in stages_of(program, "sharding") for t in s.tables]
    return next(t for t in tables if t.name == name)


def column(of: report.Table, title: str) -> list[report.Cell]:
    at = [c.title for c in of.columns].index(title)
    return [row.cells[at] for row in of.rows]


def test_the_stages_are_in_the_order_of_the_compiler(layers):
    names = [s.name for s in stages_of(layers, "sharding")]
    assert names == ["stablehlo", "propagation", "partitioner", "partitioned", "arrays"]
    assert layers.error is None and all(s.status == "ok" for s in layers.stages)


def test_stablehlo_has_the_annotations_of_the_snippet(layers):
    shown = stage(layers, "stablehlo")
    (text,) = (a.text for a in shown.artifacts)
    assert '#sdy.sharding<@mesh, [{"data"}, {}]>' in text
    assert shown.summary == "annotated for Shardy: sdy.sharding"


def test_shardy_spreads_them_without_its_own_rules_in_the_text(layers):
    before, after = stage(layers, "propagation").artifacts
    assert before.text.count("sdy.sharding") < after.text.count("sdy.sharding")
    assert "sharding_rule" not in after.text


def test_the_partitioner_makes_the_module_of_one_device(layers):
    before, after = stage(layers, "partitioner").artifacts
    assert "f32[32,64]" in before.text and "f32[8,32]" in after.text
    assert any(after.nodes)


def test_arguments_and_results_are_in_whole_and_per_device(layers):
    arrays = table(layers, "arrays")
    assert column(arrays, "array") == ["x", "u", "v", "c", "result[0]", "result[1]"]
    assert column(arrays, "type")[:2] == ["f32[32,16]", "f32[16,64]"]
    assert column(arrays, "spec")[:3] == ["P('data', None)", "P(None, 'model')", "P('model', None)"]
    assert column(arrays, "per device")[:4] == ["[8,16]", "[16,32]", "[32,8]", "[512]"]
    assert column(arrays, "size")[:4] == [2048, 4096, 2048, 2048]
    assert column(arrays, "size per device")[:4] == [512, 2048, 1024, 2048]
    assert column(arrays, "copies")[:4] == [2, 4, 4, 8]


def test_who_holds_what_is_there_to_be_drawn(layers):
    placement = stage(layers, "arrays").placement
    assert placement is not None
    assert [(a.name, a.size) for a in placement.mesh.axes] == [("data", 4), ("model", 2)]
    x = placement.holdings[0]
    assert (x.name, x.role, x.shape, x.shard_shape) == ("x", "argument", [32, 16], [8, 16])
    held = np.zeros((32, 16), int)
    for shard in x.shards:
        held[tuple(map(slice, shard.begin, shard.end))] += 1
    assert (held == x.copies).all()
    of_three = next(s for s in x.shards if s.device == 3)
    assert (of_three.begin, of_three.end) == ([8, 0], [16, 16])


def test_a_sum_over_a_divided_dimension_is_explained_at_its_line(layers):
    (row,) = (r for r in table(layers, "collectives").rows if r.cells[0] == "all-reduce")
    kind, _, type_, size, sent, over, groups, asked, why = row.cells
    assert (kind, type_, size, over) == ("all-reduce", "f32[8,8]", 256, "model")
    assert sent == 256  # 2 (n - 1) / n of it, of two devices
    assert groups == "{0,1} {2,3} {4,5} {6,7}" and asked == "by the partitioner"
    assert str(why).startswith("dot_general: it sums over a dimension that is divided over model")
    assert row.line == BASE + 3 and row.nodes


def test_one_devices_memory_is_told(layers):
    memory = table(layers, "memory")
    kinds = dict(zip(column(memory, "memory"), column(memory, "per device"), strict=True))
    assert kinds["arguments"] == 512 + 2048 + 1024 + 2048


def test_what_every_device_holds_whole_is_found(layers):
    (found,) = (f for f in layers.findings if f.kind == "replicated")
    assert found.what.startswith("c, f32[512], is held whole by each of 8 devices: 7 copies")
    assert found.bytes == 7 * 2048 and "NamedSharding(mesh, P('data'))" in found.remedy


def test_it_is_said_that_it_is_not_timed(layers):
    assert "not timed" in stage(layers, "arrays").summary


GATHERED = (
    HEAD
    + """
x = jax.device_put(x, NamedSharding(mesh, P("data")))
w = jax.device_put(w, NamedSharding(mesh, P("data")))


@jax.jit
def f(x, w):
    y = jnp.tanh(x @ w)
    z = lax.with_sharding_constraint(y, NamedSharding(mesh, P(None, "data")))
    return z @ w


f(x, w)
"""
)


@pytest.fixture(scope="module")
def gathered(mesh_process) -> report.Program:
    (program,) = mesh_process.submit(looked, GATHERED, "sharding").result().programs
    return program


def test_what_is_sent_unasked_is_a_finding_with_the_line_and_what_to_do(gathered):
    found = {f.what.split()[0]: f for f in gathered.findings if f.kind == "resharded"}
    assert set(found) == {"all-gather", "all-to-all"}
    gather = found["all-gather"]
    assert gather.line == HEAD.count("\n") + 8 and gather.nodes and "all-gather" in gather.raw
    assert gather.why.startswith("dot_general needs whole what is divided over data")
    assert "with_sharding_constraint" in gather.remedy


CONSTRAINED = (
    HEAD
    + """
x = jax.device_put(x, NamedSharding(mesh, P("data")))


@jax.jit
def f(x):
    return lax.with_sharding_constraint(jnp.sin(x), NamedSharding(mesh, P()))


f(x)
"""
)


def test_what_a_constraint_asks_for_is_the_snippets_own(mesh_process):
    (program,) = mesh_process.submit(looked, CONSTRAINED, "sharding").result().programs
    (row,) = table(program, "collectives").rows
    assert (row.cells[0], row.line) == ("all-gather", HEAD.count("\n") + 7)
    assert row.cells[-2] == "by the snippet"
    assert str(row.cells[-1]).startswith("with_sharding_constraint asks for another division")
    assert not [f for f in program.findings if f.kind == "resharded"]


MAPPED = (
    HEAD
    + """
@partial(jax.pmap, axis_name="i")
def f(x):
    return lax.ppermute(lax.psum(x, "i") * x, "i", [(i, (i + 1) % 8) for i in range(8)])


f(x.reshape(8, 4, 16))
"""
)


def test_what_the_snippet_calls_is_told_from_what_the_partitioner_adds(mesh_process):
    (program,) = mesh_process.submit(looked, MAPPED, "sharding").result().programs
    rows = table(program, "collectives")
    assert set(column(rows, "asked for")) == {"by the snippet"}
    assert set(column(rows, "why")) == {"the snippet calls psum", "the snippet calls ppermute"}
    assert {row.line for row in rows.rows} == {HEAD.count("\n") + 4}
    assert not [f for f in program.findings if f.kind == "resharded"]
    assert "P('_internal_pmap_axis_name'" not in str(column(table(program, "arrays"), "spec"))


def test_the_axis_of_a_map_that_the_snippet_gives_no_name_has_one_for_people(mesh_process):
    plain = HEAD + "jax.pmap(jnp.sin)(x.reshape(8, 4, 16))"
    (program,) = mesh_process.submit(looked, plain, "sharding").result().programs
    (placement,) = (stage.placement for stage in program.stages if stage.placement)
    assert [axis.name for axis in placement.mesh.axes] == ["pmap"]


def test_a_program_that_nothing_divides_says_so(mesh_process):
    plain = HEAD + "jax.jit(jnp.sin)(x)"
    (program,) = mesh_process.submit(looked, plain, "sharding").result().programs
    arrays = stage(program, "arrays")
    assert arrays.status == "skipped" and "nothing of the program is divided" in arrays.summary


def test_with_one_device_the_remedy_is_to_choose_more():
    (program,) = looked(
        "import jax\nimport numpy as np\njax.jit(lambda x: x)(np.ones(2))", "sharding"
    ).programs
    (end,) = (s for s in program.stages if s.compiler == "sharding")
    assert end.status == "skipped" and end.summary.endswith("choose 2 to 8 devices")


def test_a_mesh_of_torchs_is_refused_in_one_sentence():
    (program,) = looked(
        "import torch\ntorch.compile(lambda x: x + 1)(torch.ones(2))", "sharding"
    ).programs
    (end,) = (s for s in program.stages if s.compiler == "sharding")
    assert end.status == "skipped" and "init_device_mesh" in end.summary


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sdy.sharding = 1", "annotated for Shardy: sdy.sharding"),
        ('mhlo.sharding = "{replicated}"', "annotated for GSPMD: mhlo.sharding"),
        ("module @jit_f", "no annotations"),
    ],
)
def test_who_annotates_is_read_from_the_text(text, said):
    assert texts.annotations(text) == said


SNIPPETS = Path(__file__).parents[4] / "webapp" / "examples" / "snippets"


EXAMPLES = [("25-jax-data-parallel", "by the partitioner"), ("26-jax-shard-map", "by the snippet")]


@pytest.mark.parametrize(("name", "asked"), thinned(EXAMPLES, kept=EXAMPLES[:1]))
def test_an_example_of_the_gallery_sums_over_as_many_devices_as_there_are(
    name, asked, mesh_process
):
    source = (SNIPPETS / f"{name}.py").read_text()
    found = mesh_process.submit(looked, source, "sharding").result()
    assert found.notices[0].text.startswith("8 devices, assumed")
    rows = table(found.programs[0], "collectives").rows
    assert [(row.cells[0], row.cells[-2]) for row in rows] == [("all-reduce", asked)]
