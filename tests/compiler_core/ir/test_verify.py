"""The verifier and the type rules: an invalid graph is refused, with the lines around the fault."""

import pytest

from compiler_core.errors import VerifyError
from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.infer import RULES, SEVERAL, infer
from compiler_core.ir.ops import OPS
from compiler_core.ir.parse import parse
from compiler_core.ir.sizes import Symbol, size
from compiler_core.ir.types import BOOL, F32, I32, TensorType
from compiler_core.ir.verify import verify

X = TensorType(F32, (4, 8))


def parameter(number: int) -> Value:
    attrs = (("index", 0), ("name", ""))
    return Operation(number, "parameter", (), (X,), attrs).result


def test_every_operation_has_a_type_rule():
    assert {*RULES, *SEVERAL} == set(OPS)


def test_a_wrong_result_type_is_shown_with_its_line():
    graph = parse("graph f(%0: f32[4,8]) {\n %1 = tanh(%0) : f32[8,4]\n return %1\n}")
    with pytest.raises(VerifyError) as caught:
        verify(graph, "a pass")
    assert "invalid graph after a pass: %1 is f32[8,4]" in caught.value.message
    assert "> %1 = tanh(%0) : f32[8,4]" in caught.value.message


def test_an_operand_that_is_not_in_the_graph_is_refused():
    stray = parameter(7)
    user = Operation(8, "tanh", (stray,), (X,))
    with pytest.raises(VerifyError, match="%8 uses %7 before it is defined"):
        verify(Graph("f", (), user.results, (user,)))


def test_two_nodes_with_one_id_are_refused():
    a = parameter(0)
    b = Operation(0, "tanh", (a,), (X,))
    with pytest.raises(VerifyError, match="%0 is defined twice"):
        verify(Graph("f", (a,), b.results, (b,)))


def test_a_hint_outside_its_range_is_refused():
    wrong = TensorType(F32, (size(Symbol("B", 32, 40, 50)),))
    value = Operation(0, "parameter", (), (wrong,), (("index", 0), ("name", ""))).result
    with pytest.raises(VerifyError, match=r"the size B is 32 .* outside its range 40\.\.50"):
        verify(Graph("f", (value,), (value,), ()))


SORT = {"dimension": 1, "keys": 1, "descending": False, "stable": True}


@pytest.mark.parametrize(
    ("op", "operands", "attrs", "said"),
    [
        ("add", (X, TensorType(F32, (4,))), {}, "operands differ"),
        ("add", (X, X.with_dtype(I32)), {}, "operands differ"),
        ("tanh", (X, X), {}, "takes 1 operands, not 2"),
        ("gelu", (X,), {}, "there is no operation gelu"),
        ("compare", (X, X), {"direction": "LTE"}, "direction LTE"),
        ("select", (X, X, X), {}, "not bool"),
        ("reshape", (X,), {"shape": (5, 5)}, "does not reshape"),
        ("transpose", (X,), {"permutation": (0, 0)}, "no permutation"),
        ("broadcast_in_dim", (X,), {"shape": (4, 9), "dimensions": (0, 1)}, "does not broadcast"),
        ("reduce", (X,), {"monoid": "mean", "dimensions": (0,)}, "no monoid mean"),
        ("reduce", (X,), {"monoid": "add", "dimensions": (2,)}, "over (2,)"),
        ("reduce", (X,), {"monoid": "argmax", "dimensions": (1,)}, "combines value, index"),
        ("sort", (X, X), SORT | {"keys": 3}, "by 3 keys"),
        ("sort", (X, X), SORT | {"order": 1}, "keys, stable, and has descending, dimension, keys"),
        ("tanh", (X,), {"approximate": True}, "takes the attributes none, and has approximate"),
        ("iota", (), {"type": X, "dimension": 2}, "along dimension 2"),
        ("top_k", (X,), {"k": 9, "total": False}, "the 9 greatest"),
        ("dynamic_slice", (X, X), {"sizes": (1, 1)}, "starts"),
        ("slice", (X,), {"start": (0, 0), "limit": (5, 8), "strides": (1, 1)}, "slice [0:5:1]"),
        ("concatenate", (X, X.with_dtype(BOOL)), {"dimension": 0}, "concatenate of"),
        (
            "dot_general",
            (X, X),
            {"lhs_batch": (), "rhs_batch": (), "lhs_contract": (1,), "rhs_contract": (0,)},
            "dot_general of",
        ),
    ],
)
def test_operands_that_do_not_fit_are_named(op, operands, attrs, said):
    with pytest.raises(VerifyError) as caught:
        infer(op, operands, attrs)
    assert said in caught.value.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("%0 = iota() {dimension = 7} : f32[4]", "iota of f32[4] along dimension 7"),
        ("%0 = constant() : f32[4]", "constant takes the attributes value, and has none"),
        (
            "%0 = constant() {value = 1} : u64[2]\n"
            "%1, %2 = rng_bit_generator(%0) {algorithm = NOSUCH} : u64[2], u32[4]\n",
            "algorithm NOSUCH",
        ),
    ],
)
def test_what_declares_its_type_is_verified_as_the_others(text, said):
    last = text.split(" = ", 1)[0] if text.count("=") < 3 else "%2"
    with pytest.raises(VerifyError) as caught:
        verify(parse(f"graph f() {{\n{text}\nreturn {last}\n}}"))
    assert said in caught.value.message
