"""Control flow: types, text, and the same meaning everywhere."""

import numpy as np
import pytest

from compiler_core.errors import VerifyError
from compiler_core.ir import eval_numpy, eval_torch
from compiler_core.ir.build import Builder
from compiler_core.ir.parse import parse
from compiler_core.ir.text import to_text
from compiler_core.ir.types import BOOL, F32, I32, TensorType
from compiler_core.ir.verify import verify
from compiler_core.passes.cse import merge_common
from compiler_core.passes.order import PASSES
from conformance.operations import cases_control as control
from tests.compiler_core.ir.test_evaluators import by_jax, by_recorded_torch, by_torch, check

EVERY = list(control.every())
ROW = TensorType(F32, (4,))


def run(case):
    return eval_numpy.evaluate(case.graph, case.inputs)


# -- what numpy, the oracle, says


def test_a_while_runs_until_its_condition_fails():
    case = control.while_loop(3)
    count, x = run(case)
    assert count == 3
    np.testing.assert_allclose(x, case.inputs[0] + 3 * case.inputs[1], rtol=1e-6)


def test_a_while_whose_condition_fails_at_once_gives_what_it_was_given():
    case = control.while_loop(0)
    np.testing.assert_array_equal(run(case)[1], case.inputs[0])


def test_a_scan_carries_values_and_stacks_rows():
    case = control.scan(3)
    h, xs, w = (x.astype(np.float64) for x in case.inputs)
    rows = []
    for x in xs:
        h = np.tanh(h @ w + x)
        rows.append(h)
    last, stacked, same, sums = run(case)
    np.testing.assert_allclose(last, h, rtol=1e-6)
    np.testing.assert_allclose(stacked, rows, rtol=1e-6)
    np.testing.assert_array_equal(same, case.inputs[1])
    np.testing.assert_allclose(sums, np.sum(rows, (1, 2)), rtol=1e-5)


def test_a_reversed_scan_takes_rows_from_the_last_and_leaves_them_in_place():
    case = control.scan(3, reverse=True)
    last, stacked, *_ = run(case)
    np.testing.assert_array_equal(last, stacked[0])


def test_a_scan_of_no_steps_gives_no_rows():
    last, stacked, *_ = run(control.scan(0))
    assert stacked.shape == (0, 2, 3) and last.shape == (2, 3)


@pytest.mark.parametrize("index", [3, -1, 100])
def test_an_index_out_of_range_takes_the_last_branch(index):
    np.testing.assert_array_equal(run(control.case(index))[0], run(control.case(2))[0])


# -- the others


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_torch_gives_what_numpy_gives(case):
    check(case.graph, case.inputs, by_torch)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_jax_gives_what_numpy_gives(case):
    check(case.graph, case.inputs, by_jax)


RECORDED = [c for c in EVERY if eval_torch.refusal(c.graph, "TorchInductor") is None]


@pytest.mark.parametrize("case", RECORDED, ids=str)
def test_a_recorded_scan_is_unrolled(case):
    check(case.graph, case.inputs, by_recorded_torch)


def test_what_is_not_recorded_says_why():
    assert "depends on data" in eval_torch.refusal(control.while_loop().graph, "TorchInductor")
    assert "would have" in eval_torch.refusal(control.scan(5000).graph, "TorchInductor")


# -- types


def scan_of(body_types, result, **attrs):
    b = Builder()
    xs = b.parameter(TensorType(F32, (3, 4)))
    body = b.region("body", body_types, lambda *xs: [result(b, *xs)])
    given = {"length": 3, "reverse": False, "carried": 0, "scanned": 1, **attrs}
    return b.operation("scan", [xs], [body], **given)


def test_a_body_must_take_what_is_passed():
    with pytest.raises(VerifyError, match=r"scan passes \(f32\[4\]\), body takes \(f32\[3\]\)"):
        scan_of([TensorType(F32, (3,))], lambda b, x: x)


def test_a_scan_must_have_a_row_for_each_step():
    with pytest.raises(VerifyError, match=r"scan of 4 steps over f32\[3,4\]"):
        scan_of([ROW], lambda b, x: x, length=4)


def test_a_carried_value_keeps_its_type():
    with pytest.raises(VerifyError, match=r"carries \(f32\[3,4\]\), its body gives \(f32\[4,3\]\)"):
        scan_of(
            [TensorType(F32, (3, 4))], lambda b, x: b.transpose(x, (1, 0)), carried=1, scanned=0
        )


def test_a_condition_is_one_bool():
    b = Builder()
    x = b.parameter(ROW)
    cond = b.region("cond", [ROW], lambda x: [b.compare(x, x, "LT")])
    body = b.region("body", [ROW], lambda x: [x])
    with pytest.raises(VerifyError, match=r"needs \(bool\[\]\), cond gives \(bool\[4\]\)"):
        b.operation("while", [x], [cond, body], carried=1)


def test_branches_give_the_same_types():
    b = Builder()
    i, x = b.parameter(TensorType(I32)), b.parameter(ROW)
    one = b.region("branch0", [ROW], lambda x: [x])
    two = b.region("branch1", [ROW], lambda x: [b.convert(x, BOOL)])
    with pytest.raises(VerifyError, match=r"needs \(f32\[4\]\), branch1 gives \(bool\[4\]\)"):
        b.operation("case", [i, x], [one, two])


# -- text and passes


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_text_is_read_as_it_is_printed(case):
    text = to_text(case.graph)
    assert to_text(parse(text)) == text
    verify(parse(text))


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_passes_change_no_value(case):
    graph = case.graph
    for each in PASSES:
        graph, _ = each.run(graph)
        verify(graph, each.name)
    for a, e in zip(eval_numpy.evaluate(graph, case.inputs), run(case), strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-6)


def test_equal_expressions_in_a_body_are_merged():
    b = Builder()
    x = b.parameter(ROW)

    def step(x):
        return [b.node("add", b.node("tanh", x), b.node("tanh", x))]

    result = b.operation(
        "scan", [x], [b.region("body", [ROW], step)], length=2, reverse=False, carried=1, scanned=0
    )
    merged, done = merge_common(b.graph("f", result))
    (body,) = merged.outputs[0].operation.regions
    assert [o.op for o in body.operations] == ["tanh", "add"] and len(done) == 1
