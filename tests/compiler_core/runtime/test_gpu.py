"""The GPU driver: a whole Plan, in Triton's interpreter on CPU tensors."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.fuse.groups import fuse
from compiler_core.ir.build import Builder
from compiler_core.ir.library import Callee
from compiler_core.ir.types import F32, TensorType
from compiler_core.kernel.effects import Phase
from compiler_core.kernel.kernel import BufferParam, Kernel
from compiler_core.plan.build import Draft, build_plan, planned, values_of
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import KernelStep, LibraryCall, Matmul, Step
from tests.compiler_core.codegen.triton import interpreter, kernels
from tests.compiler_core.plans import ON_GPU

pytestmark = pytest.mark.cpu
BATCH, ROWS, INNER, COLUMNS = 2, 6, 8, 10


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def kind(*shape: int) -> TensorType:
    return TensorType(F32, shape)


def on(kernel: Kernel, **names: str) -> Kernel:
    """`kernel` on buffers of other names."""

    def renamed(x: Any) -> Any:
        return replace(x, buffer=names[x.buffer]) if hasattr(x, "buffer") else x

    return replace(
        kernel,
        defs=tuple(renamed(d) for d in kernel.defs),
        phases=tuple(Phase(tuple(renamed(e) for e in s.effects)) for s in kernel.phases),
        buffers=tuple(replace(b, name=names[b.name]) for b in kernel.buffers),
    )


Types = dict[str, TensorType]


def plan(steps: list[Step], inputs: Types, outputs: Types) -> Plan:
    draft = Draft("program", inputs, tuple(outputs), tuple(outputs.values()))
    return planned(draft, steps, ON_GPU)


def double(x):
    return x + x


def test_matmul_then_gelu_then_library_call(interpreter_process):
    x, w, b = kind(ROWS, INNER), kind(COLUMNS, INNER), kind(COLUMNS)
    wide = kind(ROWS, COLUMNS)
    matmul = Matmul(
        "mm", F32, 1, ROWS, COLUMNS, INNER, BufferParam("x", x, "in"), BufferParam("w", w, "in"),
        BufferParam("t", wide, "out"), transpose_rhs=True,
    )  # fmt: skip
    gelu = KernelStep(on(kernels.bias_gelu(ROWS, COLUMNS), x="t", b="b", y="g"))
    call = LibraryCall(
        "lib", Callee("double", "torch", "", double),
        (BufferParam("g", wide, "in"),), (BufferParam("y", wide, "out"),),
    )  # fmt: skip
    program = plan([matmul, gelu, call], {"x": x, "w": w, "b": b}, {"y": wide})
    a, c, d = random(ROWS, INNER), random(COLUMNS, INNER), random(COLUMNS)
    (found,) = interpreter_process.submit(interpreter.execute, program, [a, c, d]).result(
        timeout=60
    )
    z = a @ c.T + d
    expected = z * (1 + np.vectorize(math.erf)(z / np.sqrt(2)))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("transpose_lhs", [False, True])
@pytest.mark.parametrize("rhs_batched", [False, True])
def test_batched_matmul(interpreter_process, transpose_lhs, rhs_batched):
    lhs = (BATCH, INNER, ROWS) if transpose_lhs else (BATCH, ROWS, INNER)
    rhs = (BATCH, INNER, COLUMNS) if rhs_batched else (INNER, COLUMNS)
    out = kind(BATCH, ROWS, COLUMNS)
    step = Matmul(
        "mm", F32, BATCH, ROWS, COLUMNS, INNER, BufferParam("x", kind(*lhs), "in"),
        BufferParam("w", kind(*rhs), "in"), BufferParam("y", out, "out"),
        transpose_lhs=transpose_lhs, rhs_batched=rhs_batched,
    )  # fmt: skip
    program = plan([step], {"x": kind(*lhs), "w": kind(*rhs)}, {"y": out})
    a, b = random(*lhs), random(*rhs)
    (found,) = interpreter_process.submit(interpreter.execute, program, [a, b]).result(timeout=60)
    expected = (a.transpose(0, 2, 1) if transpose_lhs else a) @ b
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_a_reduction_in_parts_hands_on_scratch_that_has_a_place_in_the_plan(interpreter_process):
    numel = 100_000
    program = plan([KernelStep(kernels.mean(numel))], {"x": kind(numel)}, {"y": kind()})
    assert len(program.launches) == 2
    (scratch,) = (p for p in program.placements if p.offset is not None)
    assert (scratch.first, scratch.last) == (0, 1)
    x = random(numel)
    (found,) = interpreter_process.submit(interpreter.execute, program, [x]).result(timeout=60)
    np.testing.assert_allclose(found, x.mean(dtype=np.float64), rtol=1e-3, atol=1e-6)


def test_an_input_that_is_an_output_is_returned_as_a_copy_in_the_output_s_shape(
    interpreter_process,
):
    program = replace(plan([], {"x": kind(2, 3)}, {}), outputs=("x",), output_types=(kind(6),))
    x = random(2, 3)
    (found,) = interpreter_process.submit(interpreter.execute, program, [x]).result(timeout=60)
    np.testing.assert_array_equal(found, x.reshape(6))


@pytest.mark.parametrize("shape", [(0,), (5, 0)])
def test_a_reduction_of_nothing_is_its_identity(interpreter_process, shape):
    b = Builder()
    graph = b.graph("none", [b.reduce(b.parameter(kind(*shape)), "add", (len(shape) - 1,))])
    program = build_plan(fuse(values_of(graph)), ON_GPU)
    work = interpreter_process.submit(interpreter.execute, program, [np.zeros(shape, np.float32)])
    np.testing.assert_array_equal(work.result(timeout=60)[0], np.zeros(shape[:-1]))


def test_equal_launches_share_a_function_and_have_arguments_of_their_own(interpreter_process):
    x, count = kind(ROWS, COLUMNS), 3
    steps: list[Step] = [
        KernelStep(
            replace(
                on(kernels.bias_gelu(ROWS, COLUMNS), x=f"t{i}", b=f"b{i}", y=f"t{i + 1}"),
                name=f"k{i}",
            )
        )
        for i in range(count)
    ]
    biases = {f"b{i}": kind(COLUMNS) for i in range(count)}
    program = plan(steps, {"t0": x, **biases}, {f"t{count}": x})
    sources = emit_plan(program)
    assert {s.launch.entry for s in sources.values()} == {"k0"}
    assert len({id(s.source) for s in sources.values()}) == 1
    own = [random(ROWS, COLUMNS), *(random(COLUMNS) + i for i in range(count))]
    (found,) = interpreter_process.submit(interpreter.execute, program, own).result(timeout=60)
    expected, *each = own
    for bias in each:
        z = expected + bias
        expected = z / 2 * (1 + np.vectorize(math.erf)(z / np.sqrt(2)))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_launches_write_down_when_they_begin_and_end(interpreter_process):
    numel = 100_000
    program = plan([KernelStep(kernels.mean(numel))], {"x": kind(numel)}, {"y": kind()})
    work = interpreter_process.submit(interpreter.stamped, program, [random(numel)])
    found = work.result(timeout=60)
    assert [name for name, _, _ in found] == [launch.step.name for launch in program.launches]
    times = [ns for _, begin, end in found for ns in (begin, end)]
    assert times == sorted(times)
