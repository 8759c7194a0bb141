"""Patterns match by structure, and a template is built from what they bound."""

import pytest

from compiler_core.ir.build import Builder
from compiler_core.ir.text import node_text
from compiler_core.ir.types import BF16, F32, TensorType
from compiler_core.rewrite.pattern import Var, instantiate, match, op

X, Y = Var("x"), Var("y")


@pytest.fixture
def b():
    return Builder()


def parameters(b: Builder):
    return b.parameter(TensorType(F32, (4,))), b.parameter(TensorType(F32, (4,)))


def test_a_variable_binds_the_operand(b):
    x, y = parameters(b)
    assert match(X - Y, b.node("subtract", x, y)) == {"x": x, "y": y}


def test_a_variable_that_stands_twice_binds_one_value(b):
    x, y = parameters(b)
    assert match(X - X, b.node("subtract", x, x)) == {"x": x}
    assert match(X - X, b.node("subtract", x, y)) is None


def test_another_operation_does_not_match(b):
    x, y = parameters(b)
    assert match(X - Y, b.node("add", x, y)) is None


@pytest.mark.parametrize(("value", "matches"), [(1.0, True), (1.5, False)])
def test_a_number_matches_a_constant_of_that_value(b, value, matches):
    x, _ = parameters(b)
    divided = b.node("divide", x, b.scalar(value, F32, (4,)))
    assert (match(X / 1, divided) is not None) is matches


def test_a_nested_pattern_matches_operands(b):
    x, y = parameters(b)
    node = b.node("divide", b.node("exponential", x), b.node("exponential", y))
    assert match(op("exponential", X) / op("exponential", Y), node) == {"x": x, "y": y}
    assert match(op("exponential", X) / op("exponential", X), node) is None


def test_a_template_has_the_type_of_the_value_that_it_replaces(b):
    x = b.parameter(TensorType(BF16, (2, 3)))
    replaced = b.node("divide", x, b.scalar(2.0, BF16, (2, 3)))
    new = instantiate(X * 0.5, {"x": x}, replaced, b)
    assert new.type == replaced.type
    assert node_text(new.operands[1]).endswith("{value = 0.5} : bf16[2,3]")


def test_operands_of_a_commutative_operation_match_in_either_order(b):
    x, y = parameters(b)
    assert match(X + -Y, b.node("add", b.node("negate", y), x)) == {"x": x, "y": y}
    assert match(X - (-Y), b.node("subtract", b.node("negate", y), x)) is None
