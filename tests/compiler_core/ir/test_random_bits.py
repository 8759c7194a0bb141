"""Random bits are exactly XLA's, in numpy, in torch and as the arithmetic that kernels run."""

from functools import cache, partial

import jax
import numpy as np
import pytest

from compiler_core.interop.arrays import numpy_to_torch as to_torch
from compiler_core.interop.arrays import torch_to_numpy as from_torch
from compiler_core.ir import eval_jax, eval_numpy, eval_torch
from compiler_core.ir.stablehlo import to_stablehlo
from compiler_core.passes.random_bits import ExpandRandomBits
from conformance.operations import cases_random
from conformance.operations.cases import QUICKLY
from tests.sweep_plugin import thinned

CASES = list(cases_random.every())
FEW = [c for c in CASES if c.name.endswith("-1")]


# With all states: every third of what each algorithm makes of a width and a shape, or every one.
COUNT = len(cases_random.STATES)
SOME = [c for i, c in enumerate(CASES) if i // COUNT % 3 == 0]
SOME_OR_ALL = pytest.mark.parametrize("cases", thinned((SOME, CASES), (SOME,)), ids=["some", "all"])


NAMED = {c.name: c for c in CASES}


@cache
def by_numpy(name):
    return eval_numpy.evaluate(NAMED[name].graph, NAMED[name].inputs)


def differ(cases, found):
    """The cases of which an evaluation gives other bits than numpy."""
    pairs = zip(cases, found, strict=True)
    return [case.name for case, ours in pairs if not same(ours, by_numpy(case.name))]


def same(ours, theirs):
    pairs = zip(ours, theirs, strict=True)
    return all(x.dtype == y.dtype and np.array_equal(x, y) for x, y in pairs)


@pytest.mark.cpu
@SOME_OR_ALL
def test_the_bits_are_those_of_xla(cases):
    """As one compilation of a program for each shape, called with every state."""
    programs = [eval_jax.function(c.graph) for c in cases[::COUNT]]

    @partial(jax.jit, compiler_options=QUICKLY)
    def together(inputs):
        return [program(*x) for program, x in zip(programs, inputs, strict=True)]

    found = [[]] * len(cases)
    with jax.enable_x64(True):
        for i in range(COUNT):
            found[i::COUNT] = together([c.inputs for c in cases[i::COUNT]])
    assert differ(cases, [[np.asarray(x) for x in each] for each in found]) == []


@SOME_OR_ALL
def test_torch_computes_the_same_bits(cases):
    results = (eval_torch.evaluate(c.graph, [*map(to_torch, c.inputs)]) for c in cases)
    assert differ(cases, [[from_torch(x) for x in each] for each in results]) == []


@SOME_OR_ALL
def test_the_arithmetic_of_the_pass_makes_the_same_bits(cases):
    results = []
    for case in cases:
        expanded, (rewrite,) = ExpandRandomBits().run(case.graph)
        assert rewrite.rule == "random-bits"
        assert {op.op for op in expanded.operations}.isdisjoint({"rng_bit_generator"})
        results.append(eval_numpy.evaluate(expanded, case.inputs))
    assert differ(cases, results) == []


@pytest.mark.parametrize("case", FEW[:2], ids=str)
def test_text_of_stablehlo(case):
    assert "#stablehlo<rng_algorithm THREE_FRY>" in to_stablehlo(case.graph)
