"""Operations on complex numbers are formulas over their parts, which give what the frameworks give:
at ordinary values, at the ends of the range, and at infinities."""

import numpy as np
import pytest

from compiler_core.ir.eval_numpy import evaluate
from tests.compiler_core.capture import complex_programs as programs
from tests.compiler_core.capture.oracle import agrees, captured, library_calls, to_numpy

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:Casting complex values"),
]

FRAMEWORKS = ("torch", "jax")


def cases(table):
    return [(framework, name) for framework in FRAMEWORKS for name in table[framework]]


def close(ours: np.ndarray, theirs: np.ndarray) -> None:
    """To the digits of the type; a part that is small beside the other is as right as that one."""
    if ours.dtype.kind != "f":
        np.testing.assert_array_equal(ours, theirs)
        return
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    pairs = ours.shape[-1:] == (2,) and ours.ndim > 1
    size = np.abs(np.where(np.isfinite(theirs), theirs, 0))
    allowed = 2e-5 * (size.max(-1, keepdims=True) if pairs else size) + 1e-37
    same = (ours == theirs) | np.isnan(theirs)
    with np.errstate(all="ignore"):
        wrong = ~(same | (np.abs(ours - theirs) <= allowed))
    assert not wrong.any(), (ours[wrong], theirs[wrong])


def check(framework, name, program, grids):
    """`grids`: the arguments by the kind of their values; the program is captured once."""
    joined = [np.concatenate(arrays) for arrays in zip(*grids.values(), strict=True)]
    result = captured(framework, program, *programs.given(framework, *joined))
    assert library_calls(result) == []
    found = evaluate(result.graph, [to_numpy(x) for x in result.arguments])
    wanted = [to_numpy(x) for x in result.eager(list(result.arguments))]
    start = 0
    for values, (first, *_) in grids.items():
        part, start = slice(start, start + len(first)), start + len(first)
        if (framework, name, values) not in programs.UNDECIDED:
            for ours, theirs in zip(found, wanted, strict=True):
                close(ours[part], theirs[part])


@pytest.mark.parametrize(("framework", "name"), cases(programs.OF_ONE))
def test_functions_of_one_number(framework, name):
    grids = {values: [programs.grid(parts)] for values, parts in programs.VALUES.items()}
    check(framework, name, programs.OF_ONE[framework][name], grids)


@pytest.mark.parametrize(("framework", "name"), cases(programs.OF_TWO))
def test_functions_of_two_numbers(framework, name):
    grids = {values: programs.pairs(parts) for values, parts in programs.VALUES.items()}
    check(framework, name, programs.OF_TWO[framework][name], grids)


@pytest.mark.parametrize(("framework", "name"), cases(programs.WHOLE))
def test_rearrangements_reductions_and_products(framework, name):
    arrays = programs.given(framework, programs.Z, programs.W)
    result = agrees(captured(framework, programs.WHOLE[framework][name], *arrays))
    assert library_calls(result) == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_a_chain_of_operations_is_one_on_parts_alone(framework):
    """No part is packed that is not a result."""

    def program(z):
        return (z * z + 1j) / z

    (z,) = programs.given(framework, programs.Z)
    operations = captured(framework, program, z).graph.operations
    assert [v.op for v in operations].count("concatenate") == 1


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_comes_in_goes_into_a_product_as_it_is_in_memory(framework):
    arrays = programs.given(framework, programs.Z, programs.W)
    graph = captured(framework, lambda z, w: z @ w.T, *arrays).graph
    (product,) = (v for v in graph.operations if v.op == "dot_general")
    assert product.operands[0] is graph.inputs[0]
    assert graph.outputs == product.results
