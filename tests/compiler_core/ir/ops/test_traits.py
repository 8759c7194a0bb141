"""The columns of the table of operations say what the meanings do."""

from importlib import import_module, util
from itertools import product

import numpy as np
import pytest
import torch

from compiler_core.interop.arrays import numpy_to_torch as to_torch
from compiler_core.ir import eval_numpy, eval_torch
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.ops import ELEMENTWISE, FAMILIES, FREE_VIEWS, OPS
from compiler_core.ir.types import BOOL, F32, F64, I32, I64, DType, TensorType
from compiler_core.kernel.affine import OPERAND_INDEX, RESULT_INDEX
from conformance.operations import cases

ROOMS = ("infer", "eval_numpy", "eval_torch", "eval_jax", "stablehlo")
BINARY = sorted(op for op in ELEMENTWISE if OPS[op].arity == 2 and op != "compare")


def commutes(op: str) -> bool:
    """Whether op(x, y) is op(y, x) for all edge values; a NaN is a NaN."""
    for dtype in cases.dtypes_of(op):
        if dtype.bits == 16:
            continue
        edge = cases.edges(dtype, op)
        x, y = (v.reshape(-1) for v in np.meshgrid(edge, edge))
        b = Builder()
        left, right = (b.parameter(TensorType(dtype, x.shape)) for _ in range(2))
        graph = b.graph("f", [b.node(op, left, right), b.node(op, right, left)])
        one, other = eval_numpy.evaluate(graph, [x, y])
        if not np.array_equal(one, other, equal_nan=dtype.is_float):
            return False
    return True


@pytest.mark.parametrize("op", BINARY)
def test_the_commutative_operations_are_those_that_commute(op):
    assert commutes(op) == OPS[op].commutative


def is_linear(op: str) -> bool:
    """Whether f(x + y) is f(x) + f(y) in some of the operands together, the others held fixed."""
    arity, dtype = OPS[op].arity, next(d for d in LINEAR_IN if d in cases.dtypes_of(op))
    types = [BOOL if op == "select" and i == 0 else dtype for i in range(arity)]
    rng = np.random.default_rng(0)
    x, y = ([numbers(rng, t) for t in types] for _ in range(2))
    some = [places for places in product((False, True), repeat=arity) if any(places)]
    return any(is_additive(op, types, x, y, s) for s in some if not (op == "select" and s[0]))


LINEAR_IN = (F32, I32)
ATTRS = {
    "compare": {"direction": "LT"},
    "convert": {"dtype": F64},
    "bitcast_convert": {"dtype": I32},
}


def numbers(rng: np.random.Generator, dtype: DType) -> np.ndarray:
    """Some that are whole quarters, and so are summed without rounding."""
    quarters = rng.integers(-40, 40, 200)
    if dtype is BOOL:
        return quarters > 0
    return (quarters / 4).astype(np.float32) if dtype is F32 else quarters.astype(np.int32)


def is_additive(op, types, x, y, places) -> bool:
    """Whether it is in the operands at `places` of x and y; the others are those of x."""

    def applied(*values: np.ndarray) -> np.ndarray:
        b = Builder()
        operands = [b.parameter(TensorType(t, v.shape)) for t, v in zip(types, values, strict=True)]
        graph = b.graph("f", [b.node(op, *operands, **ATTRS.get(op, {}))])
        (result,) = eval_numpy.evaluate(graph, values)
        return result.astype(np.int32) if result.dtype == np.bool_ else result

    second = [b if chosen else a for a, b, chosen in zip(x, y, places, strict=True)]
    summed = [a + b if chosen else a for a, b, chosen in zip(x, y, places, strict=True)]
    both = applied(*x) + applied(*second)
    return np.allclose(applied(*summed), both, rtol=1e-5, atol=1e-5, equal_nan=True)


@pytest.mark.parametrize("op", sorted(ELEMENTWISE))
def test_the_nonlinear_operations_are_those_that_are_linear_in_no_operand(op):
    assert is_linear(op) == (not OPS[op].nonlinear)


def is_of_any_width(op: str) -> bool:
    """Whether integers of 64 bits that 32 hold give the same in 32, where 32 hold the result."""
    if I64 not in cases.dtypes_of(op):
        return False
    arity = OPS[op].arity
    edge = np.concatenate([cases.edges(I32, op), np.array([-40, -2, 3, 33, 40], np.int32)])
    values = [v.reshape(-1) for v in np.meshgrid(*[edge] * arity)]
    narrow, wide = (of_integers(op, values, dtype) for dtype in (I32, I64))
    held = (wide == wide.astype(narrow.dtype)) | (wide.dtype.kind == "f")
    return np.array_equal(narrow[held], wide[held], equal_nan=wide.dtype.kind == "f")


def of_integers(op: str, values: list[np.ndarray], dtype: DType) -> np.ndarray:
    given = [x.astype(dtype.name.replace("i", "int")) for x in values]
    if op == "select":
        given[0] = given[0] > 0
    b = Builder()
    types = [BOOL if x.dtype == np.bool_ else dtype for x in given]
    operands = [b.parameter(TensorType(t, x.shape)) for t, x in zip(types, given, strict=True)]
    attrs = {**ATTRS, "bitcast_convert": {"dtype": WITH_BITS[dtype]}}
    graph = b.graph("f", [b.node(op, *operands, **attrs.get(op, {}))])
    return eval_numpy.evaluate(graph, given)[0]


WITH_BITS = {I32: F32, I64: F64}


@pytest.mark.parametrize("op", sorted(ELEMENTWISE))
def test_what_is_the_same_at_any_width_of_integers_is_so(op):
    assert is_of_any_width(op) == OPS[op].any_width


def test_a_free_view_has_an_affine_index_and_nothing_else_has():
    assert set(OPERAND_INDEX) == FREE_VIEWS


def test_a_view_that_permutes_has_the_inverse_index_and_nothing_else_has():
    assert set(RESULT_INDEX) == {row.name for row in OPS.values() if row.permutes}


VIEWS = {
    "broadcast_in_dim": lambda b, x: b.broadcast(x, (2, 3, 4)),
    "reshape": lambda b, x: b.reshape(x, (4, 3)),
    "transpose": lambda b, x: b.transpose(x, (1, 0)),
    "slice": lambda b, x: b.node("slice", x, start=(1, 0), limit=(3, 4), strides=(1, 2)),
    "reverse": lambda b, x: b.node("reverse", x, dimensions=(1,)),
    "concatenate": lambda b, x: b.node("concatenate", x, x, dimension=0),
    "pad": lambda b, x: b.node(
        "pad", x, b.scalar(0, F32), low=(1, 0), high=(0, 0), interior=(0, 0)),
}  # fmt: skip


@pytest.mark.parametrize("row", FAMILIES["views"], ids=lambda row: row.name)
def test_a_view_aliases_where_the_framework_copies_nothing(row):
    b = Builder()
    x = b.parameter(TensorType(F32, (3, 4)))
    graph = b.graph("f", [VIEWS[row.name](b, x)])
    given = to_torch(cases.random(F32, (3, 4)))
    (result,) = eval_torch.evaluate(graph, [given])
    storages = {t.untyped_storage().data_ptr() for t in (given, result)}
    assert (len(storages) == 1) == row.aliases


@pytest.mark.parametrize("row", FAMILIES["views"], ids=lambda row: row.name)
def test_a_view_permutes_where_it_has_every_element_once_and_forwards(row):
    b = Builder()
    x = b.parameter(TensorType(F32, (3, 4)))
    given = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    (result,) = eval_numpy.evaluate(b.graph("f", [VIEWS[row.name](b, x)]), [given])
    once = sorted(result.flat) == sorted(given.flat)
    down = result.ndim == 2 and result[0, 0] == given[0, 0]
    assert (once and down) == row.permutes
    assert np.array_equal(result.ravel(), given.ravel()) == row.same_order


@pytest.mark.parametrize("name", sorted(FREE_VIEWS))
def test_a_free_view_repeats_where_it_has_an_element_twice(name):
    b = Builder()
    x = b.parameter(TensorType(F32, (3, 4)))
    given = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
    (result,) = eval_numpy.evaluate(b.graph("f", [VIEWS[name](b, x)]), [given])
    assert (len(np.unique(result)) < result.size) == OPS[name].repeats


def test_an_operation_whose_integers_do_not_wrap_stays_within_its_width():
    """Bitwise, ordered and moving operations of a u16 that torch holds in more bits."""
    dtype = cases.DTYPES["u16"]
    for op in sorted(ELEMENTWISE - {"compare", "select", "clamp"}):
        if OPS[op].wraps or dtype not in cases.dtypes_of(op):
            continue
        edge = cases.edges(dtype, op)
        values = [v.reshape(-1) for v in np.meshgrid(*[edge] * (OPS[op].arity or 1))]
        b = Builder()
        operands = [b.parameter(TensorType(dtype, v.shape)) for v in values]
        node: Value = b.node(op, *operands)
        context = eval_torch.Context(lambda f, *a, **k: f(*a, **k), None, torch.device("cpu"))
        stored = [to_torch(v).to(torch.int32) for v in values]
        result = eval_torch.RULES[op](context, node, *stored)
        assert not (result & ~0xFFFF).any(), op


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_has_an_operation_in_the_file_of_its_family(room):
    for family, rows in FAMILIES.items():
        name = f"compiler_core.ir.{room}.{family}"
        if util.find_spec(name) is None:
            continue
        module = import_module(name)
        found = {*getattr(module, "RULES", {}), *getattr(module, "SEVERAL", {})}
        assert found <= {row.name for row in rows}, name
