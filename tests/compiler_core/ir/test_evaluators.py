"""The numpy, torch and jax.lax meanings of every operation agree, at edge values too."""

import jax
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from jax import lax

from compiler_core.errors import Unsupported, VerifyError
from compiler_core.interop.arrays import numpy_to_torch as to_torch
from compiler_core.interop.arrays import torch_to_numpy as from_torch
from compiler_core.ir import control, eval_jax, eval_numpy, eval_torch
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph
from compiler_core.ir.library import Callee
from compiler_core.ir.ops import OPS
from compiler_core.ir.parse import parse
from compiler_core.ir.types import BF16, BOOL, F32, I32, I64, U32, DType, TensorType
from conformance.operations import cases, cases_convolution, cases_indexing, cases_tuples
from tests.compiler_core.ir import programs
from tests.sweep_plugin import thinned

# A few units in the last place: the libraries' functions are not rounded exactly.
RELATIVE = {"f64": 1e-12, "f32": 3e-6, "f16": 2e-3, "bf16": 1.6e-2}


@pytest.mark.parametrize(
    ("table", "several", "control"),
    [
        (eval_numpy.RULES, eval_numpy.SEVERAL, control.RULES),
        (eval_torch.RULES, eval_torch.SEVERAL, control.RULES),
        (eval_jax.RULES, eval_jax.SEVERAL, eval_jax.CONTROL),
    ],
)
def test_every_operation_has_a_meaning(table, several, control):
    assert {*table, *several, *control, "parameter"} == set(OPS)


def assert_close(actual: np.ndarray, expected: np.ndarray, dtype: DType) -> None:
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    if not dtype.is_float:
        return np.testing.assert_array_equal(actual, expected)
    tolerance = RELATIVE[dtype.name]
    a, e = actual.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_allclose(a, e, rtol=tolerance, atol=tolerance)


def check(graph: Graph, inputs: tuple[np.ndarray, ...], evaluate) -> None:
    expected = eval_numpy.evaluate(graph, inputs)
    for node, a, e in zip(graph.outputs, evaluate(graph, inputs), expected, strict=True):
        assert_close(a, e, node.type.dtype)


def by_torch(graph: Graph, inputs) -> list[np.ndarray]:
    return [from_torch(x) for x in eval_torch.evaluate(graph, [*map(to_torch, inputs)])]


def by_recorded_torch(graph: Graph, inputs) -> list[np.ndarray]:
    return [from_torch(x) for x in eval_torch.function(graph)(*map(to_torch, inputs))]


def by_jax(graph: Graph, inputs) -> list[np.ndarray]:
    return [np.asarray(x) for x in eval_jax.evaluate(graph, inputs)]


WHOLE = [
    *cases.tensors(),
    *cases_indexing.every(),
    *cases_tuples.every(),
    *cases_convolution.every(),
]
EVERY = [*cases.elementwise(), *WHOLE]


def disagreements(some: list[cases.Case], evaluate) -> list[str]:
    wrong = []
    for case in some:
        try:
            check(case.graph, case.inputs, evaluate)
        except Exception as error:  # every case that fails is named, whatever it raises
            wrong.append(f"{case}: {type(error).__name__} {error}")
    return wrong


# Recorded is the same table: of the types in it, one of each kind.
FEW = (F32, I32, BOOL)
TORCHS = [(by_torch, None), (by_recorded_torch, FEW), (by_recorded_torch, None)]


@pytest.mark.parametrize(("evaluate", "dtypes"), thinned(TORCHS, kept=TORCHS[:2]))
def test_torch_agrees_with_numpy(evaluate, dtypes):
    able = [case for case in EVERY if not cases.refused_by_torch(case)]
    if dtypes:
        able = [c for c in able if c.graph.inputs and c.graph.inputs[0].type.dtype in dtypes]
    wrong = disagreements(able, evaluate)
    assert not wrong, "\n".join([f"{len(wrong)} of {len(able)}", *wrong])


def test_what_torch_lacks_is_refused_by_name():
    refused = [case for case in EVERY if cases.refused_by_torch(case)]
    for case in refused:
        with pytest.raises(Unsupported, match="uint64"):
            by_torch(case.graph, case.inputs)
    assert refused


@pytest.mark.cpu
@pytest.mark.parametrize(
    "dtype", thinned([F32, I32, BOOL, U32, BF16], kept=(F32, U32, BOOL)), ids=str
)
def test_jax_agrees_with_numpy(dtype):
    """The jax.lax table knows few types by name, so these stand for all; the cases of a type are
    one compilation, as hundreds would take minutes."""
    every = WHOLE if dtype is BF16 else EVERY
    some = [c for c in every if c.graph.inputs[0].type.dtype is dtype]
    assert some

    def together(arrays):
        return [eval_jax.function(c.graph)(*x) for c, x in zip(some, arrays, strict=True)]

    # XLA without fusions has no clamp of truths.
    options = {**cases.QUICKLY, "xla_cpu_use_fusion_emitters": dtype is BOOL}
    with jax.enable_x64(True):
        results = jax.jit(together, compiler_options=options)([c.inputs for c in some])
    found = {c.name: [np.asarray(x) for x in r] for c, r in zip(some, results, strict=True)}
    by_name = {id(c.graph): c.name for c in some}
    wrong = disagreements(some, lambda graph, _: found[by_name[id(graph)]])
    assert not wrong, "\n".join([f"{len(wrong)} of {len(some)}", *wrong])


# -- programs


@pytest.mark.parametrize("examples", thinned((8, 25), kept=(8,)))
def test_programs_of_many_operations_agree(examples):
    @settings(max_examples=examples, deadline=None, derandomize=True)
    @given(programs.programs())
    def agree(graph):
        inputs = tuple(
            cases.random(x.type.dtype, x.type.shape, seed) for seed, x in enumerate(graph.inputs)
        )
        for evaluate in (by_torch, by_recorded_torch, by_jax):
            check(graph, inputs, evaluate)

    agree()


def test_a_float64_reference_is_closer_than_the_program_itself():
    b = Builder()
    x = b.parameter(TensorType(F32, (1000,)))
    graph = b.graph("f", [b.reduce(b.node("exponential", x), "add", (0,))])
    values = cases.random(F32, (1000,))
    exact = np.exp(values.astype(np.float64)).sum()
    (reference,) = eval_torch.evaluate(graph, [to_torch(values)], float_dtype=torch.float64)
    (own,) = eval_torch.evaluate(graph, [to_torch(values)])
    assert reference.dtype is torch.float64 and own.dtype is torch.float32
    assert abs(reference.item() - exact) < 1e-10 < abs(own.item() - exact)


def test_constants_are_literals_in_what_inductor_is_given():
    graph = parse("""
        graph f(%0: f32[4]) {
          %1 = constant() {value = 2.0} : f32[]
          %2 = broadcast_in_dim(%1) {dimensions = ()} : f32[4]
          %3 = power(%0, %2) : f32[4]
          return %3
        }""")
    assert "torch.pow(x0, 2.0)" in eval_torch.function(graph).code.replace("torch.functional.", "")


@pytest.mark.parametrize(
    ("rank", "text"), [(2, "torch.matmul(x0, x1)"), (3, "torch.matmul(x0, x1)")]
)
def test_a_matrix_product_is_what_a_person_writes(rank, text):
    case = next(c for c in EVERY if c.name == f"dot-{'matrices' if rank == 2 else 'batch'}-f32")
    assert text in eval_torch.function(case.graph).code


def test_a_wrong_number_of_inputs_is_named():
    with pytest.raises(VerifyError, match="takes 1 inputs, not 2"):
        eval_numpy.evaluate(EVERY[0].graph, [*EVERY[0].inputs] * 2)


# -- library calls


THREE = TensorType(F32, (3,))


def calling(framework: str, call, types=(THREE,)) -> Graph:
    b = Builder()
    x = b.parameter(THREE)
    return b.graph("f", b.library_call(Callee("sort", framework, "", call), [x], types))


X = np.array([3.0, 1.0, 2.0], np.float32)
INDEX = np.arange(3, dtype=np.int32)


@pytest.mark.parametrize(
    ("framework", "call"),
    [("torch", lambda x: x.sort()), ("jax", lambda x: lax.sort_key_val(x, INDEX))],
)
def test_a_library_call_with_two_results_runs_in_its_framework(framework, call):
    kind = I64 if framework == "torch" else I32
    graph = calling(framework, call, (THREE, TensorType(kind, (3,))))
    for evaluate in (eval_numpy.evaluate, by_torch):
        values, indices = evaluate(graph, [X])
        assert values.tolist() == [1, 2, 3] and indices.tolist() == [1, 2, 0]


def test_a_library_call_of_the_other_framework_is_refused_with_a_reason():
    of_torch, of_jax = calling("torch", torch.sort), calling("jax", jax.numpy.sort)
    assert eval_jax.refusal(of_torch) == "XLA cannot run torch's sort here"
    assert eval_torch.refusal(of_jax, "TorchInductor") == "TorchInductor cannot run jax's sort here"
    assert (
        eval_jax.refusal(of_jax) is None and eval_torch.refusal(of_torch, "TorchInductor") is None
    )


def test_a_library_call_that_has_no_float64_keeps_its_own_precision():
    def half_only(x):
        if x.dtype is not torch.float32:
            raise RuntimeError("float32 only")
        return x * 2

    graph = calling("torch", half_only)
    (result,) = eval_torch.evaluate(graph, [to_torch(X)], float_dtype=torch.float64)
    assert result.dtype is torch.float64 and result.tolist() == [6, 2, 4]
