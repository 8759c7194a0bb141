"""Random graphs: every operation, the same at every run, judged by what they mean, made small."""

import random

import pytest
import torch

from compiler_core.ir.ops import OPS
from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text
from compiler_core.ir.verify import verify
from conformance import examples, judge_graphs, random_graphs
from conformance.graphs.coarseness import as_computed
from conformance.graphs.programs import STEPS, grown
from conformance.judge_graphs import judge
from conformance.made_small import smallest
from conformance.sample import GraphSample, Unit
from conformance.verdict import Verdict
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu


def test_every_operation_has_a_step():
    assert set(STEPS) == set(OPS)


@pytest.mark.parametrize(
    "symbolic", thinned([False, True], kept=(True,)), ids=["numbers", "symbols"]
)
def test_an_operation_that_is_asked_for_is_there(symbolic):
    for op in OPS:
        made = (grown(random.Random(n), op, symbolic=symbolic) for n in range(20))
        found = next(x for x in made if x is not None)
        verify(found.graph)
        assert op in {o.op for o in found.graph.walk()} or op == "parameter"


def test_a_name_stands_for_its_examples():
    texts = [[str(s.program.inputs) for s in random_graphs.samples("pad", "C")] for _ in range(2)]
    assert texts[0] == texts[1] and len(set(texts[0])) > 10


def sample(**more) -> GraphSample:
    """A sum of few elements."""
    programs = examples.drawn(lambda rng: grown(rng, "reduce"), "here", 5)
    return GraphSample("reduce", programs[-1], "C", **more)


def test_a_graph_is_native_with_any_choices():
    kinds = {judge(sample(knobs=knobs)).kind for knobs in (None, 1, 2)}
    assert kinds <= {"native", "library"}


def test_other_numbers_are_wrong(monkeypatch):
    def moved(graph, calls):
        plan, results = in_c(graph, calls)
        return plan, [[(x.double() + 1).to(x.dtype) for x in r] for r in results]

    in_c = judge_graphs.RUNS["C"]
    monkeypatch.setitem(judge_graphs.RUNS, "C", moved)
    verdict = judge(sample())
    assert verdict.kind == "wrong" and "off by" in verdict.reason


def test_a_bad_graph_is_made_small():
    unit = Unit("graphs", "tanh", "C")

    def judged(sample):
        has = any(o.op == "tanh" for o in sample.program.graph.walk())
        return Verdict("wrong" if has else "native")

    drawn = [s.program.graph for s in random_graphs.samples("tanh", "C")]
    number = next(n for n, graph in enumerate(drawn) if len(list(graph.walk())) > 4)
    text = smallest(unit, number, judged, seconds=60)
    assert "tanh" in text
    assert len(text.splitlines()) < len(to_text(drawn[number]).splitlines())


@pytest.mark.parametrize(
    ("steps", "digits"),
    [
        ("%1 = convert(%0) : f64[4]", torch.float32),
        ("%1 = convert(%0) : bf16[4]; %2 = convert(%1) : f64[4]", torch.bfloat16),
        # A truth is right or not.
        (
            "%1 = compare(%0, %0) {direction = LT} : bool[4]; %2 = convert(%1) : f64[4]",
            torch.float64,
        ),
    ],
)
def test_a_wide_output_has_the_digits_of_what_it_came_through(steps, digits):
    lines = steps.split("; ")
    last = f"%{len(lines)}"
    text = "\n  ".join(["graph f(%0: f32[4]) {", *lines, f"return {last}", "}"])
    [found] = as_computed(parse(text), [torch.ones(4, dtype=torch.float64)])
    assert found.dtype == digits
