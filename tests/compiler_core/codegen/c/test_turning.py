"""Tiles are turned in whatever vectors a processor has, whole ones and what is left of them."""

import ctypes
import subprocess

import numpy as np
import pytest

from compiler_core.codegen.c.turning import TURN
from compiler_core.ir.build import Builder
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.types import BF16, F16, TensorType
from compiler_core.runtime.gcc import find_compiler
from conformance.operations.cases import random
from tests.compiler_core.codegen.c.graphs import plan_of, run

ROWS, COLUMNS, WIDTH = 19, 37, 24


def compiled(march, *words):
    linkage = "static __attribute__((noinline, noclone)) "
    text = TURN.text.replace(linkage, "") + "const int square = SQUARE;\n"
    command = [find_compiler(), "-O2", f"-march={march}", "-w", "-x", "c", "-", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("march, words", [("x86-64", 4), ("x86-64-v3", 8), ("x86-64-v4", 16)])
def test_as_many_words_as_a_vector_holds(march, words):
    assert compiled(march, "-E", "-P").splitlines()[-1] == f"const int square = {words};"


@pytest.mark.parametrize("march", ["x86-64", "native"])
def test_rows_become_columns(march, tmp_path):
    library = tmp_path / "turn.so"
    compiled(march, "-shared", "-fPIC", "-o", str(library))
    turn = ctypes.CDLL(str(library)).turn
    given = np.arange(ROWS * COLUMNS, dtype=np.uint32).reshape(ROWS, COLUMNS)
    turned = np.zeros((COLUMNS, WIDTH), np.uint32)
    turn(given.ctypes.data_as(ctypes.c_void_p), ctypes.c_long(COLUMNS),
         turned.ctypes.data_as(ctypes.c_void_p), WIDTH, ROWS, COLUMNS)  # fmt: skip
    assert (turned[:, :ROWS] == given.T).all() and not turned[:, ROWS:].any()


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", [BF16, F16])
@pytest.mark.parametrize("shape", [(128, 192), (71, 133)])
def test_floats_of_16_bits_are_in_32_before_they_are_turned(dtype, shape):
    b = Builder()
    x, y = (b.parameter(TensorType(dtype, s)) for s in (shape[::-1], shape))
    graph = b.graph("turned", [b.node("add", b.transpose(x, (1, 0)), y)])
    (launch,) = plan_of(graph).launches
    assert launch.schedule.tile.turned == ("v0",) and launch.schedule.tile.down == 32
    given = [random(dtype, x.type.sizes, i) for i, x in enumerate(graph.inputs)]
    (found,), (expected,) = run(graph, given), evaluate(graph, given)
    np.testing.assert_array_equal(found.astype("f4"), expected.astype("f4"))
