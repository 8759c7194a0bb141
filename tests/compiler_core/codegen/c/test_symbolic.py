"""Programs with symbolic sizes in C: compiled once, called with several sizes."""

import re

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from compiler_core.codegen.c import emit as c
from compiler_core.errors import MeasureError
from compiler_core.ir import eval_numpy
from compiler_core.ir.parse import parse
from compiler_core.ir.sizes import MOST, Symbol, Undecided, size
from compiler_core.ir.substitute import substitute
from compiler_core.passes.order import PASSES
from compiler_core.runtime import cpu, gcc
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.codegen.symbolic import PROGRAMS, calls
from tests.compiler_core.codegen.symbolic import SIZES as CALLED
from tests.compiler_core.random_graphs import graphs

# Of two symbols: numpy evaluates their product times 24 elements.
FEWER = {"batch and length as one": (2, 37, 90)}


@pytest.mark.cpu
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_compilation_serves_every_size(name, monkeypatch):
    text = PROGRAMS[name]
    loaded = []
    load = gcc.load
    monkeypatch.setattr(gcc, "load", lambda *given: loaded.append(given) or load(*given))
    compiled = cpu.build(plan_of(parse(text)))
    for inputs, wanted in calls(text, FEWER.get(name, CALLED)):
        result = compiled([torch.from_numpy(x) for x in inputs])
        for ours, theirs in zip(result, wanted, strict=True):
            np.testing.assert_allclose(ours.numpy(), theirs, rtol=2e-5, atol=2e-5)
    assert len(loaded) == 1


@pytest.mark.parametrize(
    "name",
    [
        "bias and tanh",
        "linear and tanh",
        "batch and length as one",
        "every other row",
        "fours of rows",
    ],
)
def test_text(name, golden):
    text = c.emit(plan_of(parse(PROGRAMS[name]))).source.text
    golden(text[re.search(r"// (elementwise|column): ", text).start() :])


@pytest.mark.cpu
def test_sizes_that_the_program_was_not_made_for_are_one_sentence():
    compiled = cpu.build(plan_of(parse(PROGRAMS["bias and tanh"])))
    with pytest.raises(MeasureError, match="a size is 47, the program was compiled for 48"):
        compiled([torch.zeros(7, 47), torch.zeros(48)])
    with pytest.raises(MeasureError, match="B is 1; this compilation serves 2 and more"):
        compiled([torch.zeros(1, 48), torch.zeros(48)])
    with pytest.raises(MeasureError, match="compiled for f32"):
        compiled([torch.zeros(7, 48), torch.zeros(1, 48)])


@pytest.mark.cpu
def test_one_size_of_two_inputs_must_agree():
    compiled = cpu.build(plan_of(parse(PROGRAMS["one after the other"])))
    with pytest.raises(MeasureError, match="a size is 6, the program was compiled for B = 5"):
        compiled([torch.zeros(5, 24), torch.zeros(6, 24)])


PLACE_OF_THE_LEAST = """
graph place{head}(%0: f32[{B},6]) {{
  %1 = constant() {{value = 2.0}} : f32[{B},6]
  %2 = multiply(%0, %1) : f32[{B},6]
  %3 = reshape(%2) : f32[{all}]
  %4 = iota() {{dimension = 0}} : i64[{all}]
  %5, %6 = reduce(%3, %4) {{monoid = argmin, dimensions = (0)}} : f32[], i64[]
  return %6
}}
"""


@pytest.mark.cpu
@pytest.mark.parametrize(("rows", "flat"), [("B", "6*B"), ("7", "42")])
def test_the_place_of_the_least_of_all_is_one_kernel(rows, flat):
    head = "" if rows == "7" else "[B = 7 in 2..]"
    graph = parse(PLACE_OF_THE_LEAST.format(head=head, B=rows, all=flat))
    for each in PASSES:
        graph, _ = each.run(graph)
    plan = plan_of(graph)
    assert len(plan.launches) == 1
    compiled = cpu.build(plan)
    for n in (7, 100, 3) if rows == "B" else (7,):
        x = np.random.default_rng(n).integers(0, 50, (n, 6)).astype(np.float32)
        (place,) = compiled([torch.from_numpy(x)])
        assert place == x.argmin()


def test_how_many_threads_share_the_work_is_known_at_the_call():
    text = c.emit(plan_of(parse(PROGRAMS["one loop"]))).source.text
    assert re.search(r"k0_tanh\(buffers\[0\], buffers\[1\], 48\*B < \d+ \? 1 : threads, B\);", text)


SIZES = (Symbol("B", 3, 2, MOST), Symbol("T", 5, 2, MOST))
DIMS = st.sampled_from((1, 2, 3, *map(size, SIZES), size(SIZES[0]) * 2))


@pytest.mark.cpu
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs(DIMS))
def test_a_random_program_means_at_every_size_what_its_graph_means(graph):
    try:
        compiled = cpu.build(plan_of(graph))
    except Undecided:
        assume(False)
    for values in ((2, 2), (2, 9), (17, 3)):
        numbers = substitute(graph, dict(zip(SIZES, values, strict=True)))
        random = np.random.default_rng(0)
        inputs = [random.standard_normal(x.type.sizes).astype(np.float32) for x in numbers.inputs]
        result = compiled([torch.from_numpy(x) for x in inputs])
        with np.errstate(all="ignore"):
            wanted = eval_numpy.evaluate(numbers, inputs)
        for ours, theirs in zip(result, wanted, strict=True):
            np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-4, atol=1e-4)
