"""The gallery's snippets: found, captured without a library call, placed, and right."""

from pathlib import Path

import pytest

from compiler_core.capture import capture
from compiler_core.capture.captured import Captured
from compiler_core.ir.verify import verify
from tests.compiler_core.capture.oracle import agrees, library_calls
from tests.compiler_core.examples import SWEPT
from tests.compiler_core.snippets import explore
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

FOLDER = Path(__file__).parents[3] / "webapp/examples/snippets"
# The lines of the snippets whose operations each captures, the first and the last.
LINES = {
    "01-bias-gelu": (8, 8),
    "02-elementwise-chain": (8, 11),
    "03-softmax-rows": (8, 8),
    "04-norm-linear-gelu-residual": (15, 15),
    "05-mlp-module": (19, 19),
    "06-rmsnorm-residual": (8, 10),
    "07-jax-linear-relu": (9, 9),
    "08-jax-gelu-exact-tanh": (9, 10),
    "09-jax-attention-head": (12, 16),
    "10-jax-layer-norm": (9, 11),
    "11-jax-mlp-pytree": (19, 20),
    "12-jax-grad-mse": (9, 10),
    "13-graph-break": (9, 12),
    "14-training-step": (15, 17),
    "15-jax-scan-rnn": (10, 13),
    "16-jax-while-cond": (10, 22),
    "17-embedding-cross-entropy": (16, 17),
    "18-pooling": (9, 10),
    "19-jax-embedding-gradient": (8, 9),
    "20-running-values": (9, 12),
    "21-long-rows": (9, 11),
    "22-causal-attention": (12, 14),
    "23-varying-batch": (9, 10),
    "24-top-k-sampling": (9, 12),
    "25-jax-data-parallel": (16, 19),
    "26-jax-shard-map": (15, 20),
    "28-item-in-the-middle": (8, 10),
    "30-branch-mended": (9, 10),
    "31-number-that-changes": (8, 8),
    "32-padded-to-buckets": (8, 10),
    "37-common-subexpressions": (8, 10),
    "40-sum-of-squares": (7, 7),
    "41-one-product": (7, 7),
    "42-sixteen-numbers": (8, 8),
    "43-buffers-reused": (9, 9),
    "48-jax-vmap": (10, 10),
    "50-jax-sgd-step": (8, 14),
    "51-reading-ptx": (7, 7),
    "53-small-graphs": (8, 17),
}


# Those of which the tests of the pipeline take none of the later stages.
@pytest.fixture(scope="module", params=thinned(sorted(LINES), kept=SWEPT))
def example(request) -> tuple[str, Captured]:
    source = (FOLDER / f"{request.param}.py").read_text()
    found = explore(source)
    assert found.error is None
    (program,) = found.programs
    return request.param, capture(program)


def test_the_graphs_are_valid(example):
    for each in example[1].graphs:
        verify(each.graph)


def test_every_operation_is_lowered(example):
    assert library_calls(example[1]) == []


def test_every_operation_has_its_line_and_column(example):
    name, result = example
    lines = [node.line for node in result.nodes]
    assert (min(lines), max(lines)) == LINES[name]
    assert all(node.column and node.column >= 1 for node in result.nodes)


def test_every_node_of_the_graph_comes_from_an_operation(example):
    known = {node.id for node in example[1].nodes}
    computed = (n for each in example[1].graphs for n in each.graph.computed)
    assert all(set(n.origins) <= known and n.origins for n in computed)


def test_every_operation_has_a_line_of_the_text(example):
    result = example[1]
    for each in result.graphs:
        assert len(each.text.splitlines()) == len(each.text_nodes)
        assert {i for ids in each.text_nodes for i in ids} == {node.id for node in each.nodes}


def test_it_computes_what_the_framework_does(example):
    agrees(example[1], seed=1)
