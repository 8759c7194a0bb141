"""Programs with symbolic sizes in Triton: loaded once, called with several sizes."""

import numpy as np
import pytest

from compiler_core.codegen.triton.emit import emit_plan
from compiler_core.codegen.triton.offline import compile_offline
from compiler_core.fuse import cost
from compiler_core.fuse.groups import fuse
from compiler_core.ir.parse import parse
from compiler_core.plan.build import build_plan, values_of
from compiler_core.plan.plan import Plan
from tests.compiler_core.codegen.symbolic import PROGRAMS, calls
from tests.compiler_core.codegen.triton import interpreter
from tests.compiler_core.plans import ON_GPU
from tests.sweep_plugin import crossed

# Few enough for the interpreter.
SIZES = (2, 37, 130)
# Of programs with many elements a row.
FEWER = {"batch and length as one": (2, 9, 21), "softmax over rows": (2, 7, 37)}
TEXTS = ["bias and tanh", "softmax over rows", "sum over the batch", "batch and length as one",
         "fours of rows", "windows along the symbol"]  # fmt: skip

LOOPS = ["running sum and largest, its index in 32 bits", "running largest of bytes"]


def planned(name: str) -> Plan:
    return build_plan(fuse(values_of(parse(PROGRAMS[name])), cost.GPU), ON_GPU)


@pytest.mark.cpu
@pytest.mark.parametrize("name", PROGRAMS)
def test_one_text_serves_every_size(name, interpreter_process):
    given = list(calls(PROGRAMS[name], FEWER.get(name, SIZES)))
    # Of rows whose length is the symbol, blocks so short that the longest has several and a tail.
    with interpreter.constants("short rows"):
        plan = planned(name)
    run = interpreter_process.submit(interpreter.execute_all, plan, [inputs for inputs, _ in given])
    for computed, (_, wanted) in zip(run.result(timeout=120), given, strict=True):
        for ours, theirs in zip(computed, wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", TEXTS)
def test_text(name, golden):
    (source,) = emit_plan(planned(name)).values()
    golden(source.source.text)


@pytest.mark.cpu
@pytest.mark.parametrize(("name", "target"), crossed(TEXTS, ["sm_90", "gfx942"]))
def test_it_compiles_for_a_gpu_that_is_not_here(name, target):
    for source in emit_plan(planned(name)).values():
        assert compile_offline(source, target).texts


@pytest.mark.cpu
@pytest.mark.parametrize("name", LOOPS)
def test_what_a_loop_carries_keeps_its_type(name):
    for source in emit_plan(planned(name)).values():
        assert compile_offline(source, "sm_90").texts
