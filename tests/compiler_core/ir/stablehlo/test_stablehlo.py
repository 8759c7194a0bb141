"""What is printed is real StableHLO: jaxlib parses and verifies it, and XLA runs it."""

from functools import cache

import jax
import numpy as np
import pytest
from jax._src.interpreters.mlir import make_ir_context
from jax._src.lib.mlir import ir
from jaxlib import _jax

from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.library import Callee
from compiler_core.ir.stablehlo import line_map, to_stablehlo
from compiler_core.ir.types import F32, I64, TensorType
from conformance.graphs.table import FLOATS
from conformance.operations import (
    cases,
    cases_convolution,
    cases_indexing,
    cases_random,
    cases_tuples,
)
from conformance.operations import cases_control as control
from tests.sweep_plugin import thinned

CONTROL = list(control.every())
WHOLE = [
    *cases.tensors(),
    *cases_indexing.every(),
    *cases_tuples.every(),
    *cases_convolution.every(),
]
EVERY = [*cases.elementwise(), *WHOLE, *cases_random.every(), *CONTROL]
# One of each operation on whole tensors, and what has a text of its own among the others.
RUN = [c for c in WHOLE if c.name.endswith("f32") or "-f32-" in c.name]
RUN += [
    c for c in EVERY if c.name in ("sign-u32", "floor-i32", "erf-f32", "compare-u8-LT", "tan-f32")
]
RUN += CONTROL


@cache
def context() -> ir.Context:
    return make_ir_context()


def parsed(text: str) -> ir.Module:
    with context():
        module = ir.Module.parse(text)
        assert module.operation.verify()
        return module


def test_every_operation_is_accepted_by_the_parser():
    refused = []
    for case in EVERY:
        try:
            parsed(to_stablehlo(case.graph))
        except ir.MLIRError as error:
            refused.append(f"{case}: {error}")
    assert not refused, "\n".join(refused)


# Loops and branches, whose texts have blocks, and every third of the others.
KEPT = [*RUN[::3], *CONTROL]


@pytest.mark.cpu
@pytest.mark.parametrize("case", thinned(RUN, KEPT), ids=str)
def test_xla_gives_the_values_that_numpy_gives(case):
    device = jax.devices("cpu")[0]
    options, devices = _jax.CompileOptions(), _jax.DeviceList((device,))
    options.env_option_overrides = [*cases.QUICKLY.items()]
    program = device.client.compile_and_load(to_stablehlo(case.graph), devices, options)
    with jax.enable_x64(True):
        results = program.execute_sharded([jax.device_put(x, device) for x in case.inputs])
    for found, expected in zip(
        results.disassemble_into_single_device_arrays(),
        eval_numpy.evaluate(case.graph, case.inputs),
        strict=True,
    ):
        np.testing.assert_allclose(np.asarray(found[0]), expected, rtol=3e-6, atol=3e-6)


def with_a_library_call():
    b = Builder()
    x = b.parameter(TensorType(F32, (3,)))
    with b.origin(4):
        called = b.library_call(
            Callee("sort", "torch"), [x], [TensorType(F32, (3,)), TensorType(I64, (3,))]
        )
    return b.graph("f", reversed(called))


def test_a_library_call_is_a_custom_call_with_its_name():
    text = to_stablehlo(with_a_library_call())
    parsed(text)
    assert 'call_target_name = "torch.sort"' in text and "return %1#1, %1#0" in text


def test_each_line_knows_its_captured_operations():
    graph = with_a_library_call()
    found = zip(to_stablehlo(graph).splitlines(), line_map(graph), strict=True)
    assert [nodes for line, nodes in found if "custom_call" in line] == [[4]]


def test_a_graph_of_no_outputs_and_infinite_constants_parses():
    b = Builder()
    b.parameter(TensorType(F32, ()))
    parsed(to_stablehlo(b.graph("empty", [])))
    values = [b.scalar(v, t) for v in (float("inf"), float("-inf"), float("nan"), 1e-30, 1e30)
              for t in FLOATS]  # fmt: skip
    parsed(to_stablehlo(b.graph("constants", values)))
