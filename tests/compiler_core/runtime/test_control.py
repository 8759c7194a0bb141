"""Control flow as it runs: a loop in C, driven by the framework, driven by a GPU's host."""

import numpy as np
import pytest
import torch

from compiler_core.codegen.c.segments import divide
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.interop.arrays import numpy_to_torch as to_torch
from compiler_core.interop.arrays import torch_to_numpy as from_torch
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir import eval_numpy
from compiler_core.ir.build import Builder
from compiler_core.ir.library import Callee
from compiler_core.ir.types import BF16, F32, I32, TensorType
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.control import transfers
from compiler_core.runtime import cpu
from compiler_core.schedule.targets import CpuTarget
from conformance.operations import cases_control as control
from tests.compiler_core.codegen.c.graphs import plan_of
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_GPU
from tests.compiler_core.runtime.host_drives import HostDrives

pytestmark = pytest.mark.cpu
EVERY = list(control.every())


def agrees(case, executable) -> None:
    results = executable([to_torch(x) for x in case.inputs])
    expected = eval_numpy.evaluate(case.graph, case.inputs)
    for found, wanted in zip(map(from_torch, results), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=3e-6, atol=3e-6)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_c_drives_it(case):
    executable = cpu.build(plan_of(case.graph))
    assert all(segment.entry for segment in executable.program.segments)
    agrees(case, executable)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_the_framework_drives_it(case):
    executable = cpu.build(build_plan(fuse(values_of(case.graph)), HostDrives(CpuTarget())))
    assert not all(segment.entry for segment in executable.program.segments)
    agrees(case, executable)


@pytest.mark.parametrize("case", EVERY, ids=str)
def test_a_gpus_host_drives_it(case, interpreter_process):
    plan = build_plan(fuse(values_of(case.graph), cost.GPU), ON_GPU)
    work = interpreter_process.submit(interpreter.execute, plan, list(case.inputs))
    expected = eval_numpy.evaluate(case.graph, case.inputs)
    for found, wanted in zip(work.result(timeout=60), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=3e-6, atol=3e-6)


def test_calls_again_give_the_same():
    case = control.scan(5)
    executable = cpu.build(plan_of(case.graph))
    given = [to_torch(x) for x in case.inputs]
    first, second = executable(given), executable(given)
    assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    assert first[1].data_ptr() != second[1].data_ptr()


# -- what is copied


def passed_on(case):
    (step,) = (s for s in plan_of(case.graph).steps if s.plans)
    return [(t.how, t.rotates) for t in transfers(step.plans[-1], step.operation["carried"])]


def test_a_value_that_is_carried_and_stacked_is_written_once():
    assert passed_on(control.scan())[:2] == [("shown", False), ("written", False)]


def test_a_carried_value_alone_has_two_places():
    assert passed_on(control.while_loop())[1] == ("written", True)


def test_an_old_value_is_copied_and_an_invariant_is_not():
    assert passed_on(control.rotation()) == [
        ("copied", True), ("written", True), ("shown", False), ("kept", False), ("copied", False),
    ]  # fmt: skip


def test_temporaries_of_a_region_are_in_the_arena():
    plan = plan_of(control.scan().graph)
    (step,) = (s for s in plan.steps if s.plans)
    place = next(p for p in plan.placements if p.name == step.workspace.name)
    assert place.offset is not None and place.type.bytes >= step.plans[0].arena_bytes > 0


# -- names and texts


def test_kernels_of_a_region_are_named_after_it():
    (step,) = plan_of(control.scan().graph).steps
    assert all(inner.name.startswith("k0_body_k") for inner in step.plans[0].steps)


def test_a_loop_of_small_kernels_starts_no_threads():
    text = cpu.build(plan_of(control.scan(5).graph)).source.text
    assert "omp parallel" not in text and "for (long step = 0; step < 5; step++)" in text


def test_a_loop_that_calls_a_library_is_labelled():
    b = Builder()
    x = b.parameter(TensorType(F32, (4,)))
    callee = Callee("sort", "torch", "", lambda x: torch.sort(x)[0])

    def step(x):
        (result,) = b.library_call(callee, [b.node("negate", x)], [x.type])
        return [result]

    result = b.operation(
        "scan", [x], [b.region("body", [x.type], step)],
        length=3, reverse=False, carried=1, scanned=0,
    )  # fmt: skip
    plan = plan_of(b.graph("f", result))
    assert plan.launches[0].schedule.reason == "the framework drives the steps: sort is one of them"
    executable = cpu.build(plan)
    given = expected = torch.tensor([3.0, -1.0, 2.0, 0.5])
    for _ in range(3):
        expected = torch.sort(-expected)[0]
    assert torch.equal(executable([given])[0], expected)


def loop_of_products(dtype):
    b = Builder()
    x, w = (b.parameter(TensorType(dtype, s)) for s in ((2, 3), (3, 3)))
    body = b.region(
        "body", [x.type, w.type], lambda x, w: [b.dot_general(x, w, contract=((1,), (0,)))]
    )
    result = b.operation("scan", [x, w], [body], length=2, reverse=False, carried=1, scanned=0)
    return b.graph("f", result)


@pytest.mark.parametrize(("dtype", "entry"), [(I32, ""), (BF16, "run0")], ids=str)
def test_a_loop_over_products_leaves_c_only_where_it_has_none(dtype, entry):
    graph = loop_of_products(dtype)
    assert [s.entry for s in divide(plan_of(graph)).segments] == [entry]
    given = [(8 * torch.randn(s)).to(TORCH[dtype.name]) for s in ((2, 3), (3, 3))]
    expected = (given[0] @ given[1]) @ given[1]
    torch.testing.assert_close(cpu.build(plan_of(graph))(given)[0], expected)


def test_a_while_over_numbers_alone():
    b = Builder()
    n = b.parameter(TensorType(I32))
    cond = b.region("cond", [n.type], lambda n: [b.compare(n, b.scalar(100, I32), "LT")])
    body = b.region("body", [n.type], lambda n: [b.node("add", n, n)])
    graph = b.graph("f", b.operation("while", [n], [cond, body], carried=1))
    (found,) = cpu.build(plan_of(graph))([torch.tensor(3, dtype=torch.int32)])
    assert found.item() == 192
