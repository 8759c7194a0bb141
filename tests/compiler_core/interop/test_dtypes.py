"""One table of element types for numpy, torch and JAX."""

import ast
import re
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import torch

from compiler_core import inputs
from compiler_core.interop.arrays import numpy_to_torch, torch_to_numpy
from compiler_core.interop.names import NAMES, name_of
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.types import DTYPES

CORE = Path(__file__).resolve().parents[3] / "compiler_core"


def test_every_type_of_the_ir_has_one_of_each_framework():
    assert NAMES.keys() == NUMPY.keys() == TORCH.keys() == DTYPES.keys()
    # Complex numbers are pairs in the IR.
    assert inputs.BYTES.keys() - {"c64"} <= NAMES.keys()


@pytest.mark.parametrize("name", NAMES)
def test_a_dtype_of_each_framework_has_our_name(name):
    assert name_of(TORCH[name]) == name
    assert name_of(NUMPY[name]) == name
    assert name_of(jnp.dtype(NUMPY[name])) == name
    assert NUMPY[name].itemsize == TORCH[name].itemsize == DTYPES[name].bytes


@pytest.mark.parametrize("dtype", [torch.complex64, np.dtype("complex64"), torch.float8_e4m3fn])
def test_a_type_that_the_core_lacks_has_no_name(dtype):
    assert name_of(dtype) is None


@pytest.mark.parametrize("name", NAMES)
def test_arrays_keep_type_and_values(name):
    x = np.array([[0, 1], [1, 0]]).astype(NUMPY[name])
    there = numpy_to_torch(x)
    assert there.dtype is TORCH[name]
    back = torch_to_numpy(there)
    assert back.dtype == x.dtype
    np.testing.assert_array_equal(back, x)


def test_no_other_room_has_such_a_table():
    assert is_table('{"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32}')
    assert is_table("{torch.float64: F64, torch.float32: F32, torch.int64: I64, torch.int8: I8}")
    # The printers' tables say what Triton and C call the types.
    rooms = [d for d in CORE.iterdir() if d.is_dir() and d.name not in ("interop", "codegen")]
    files = [file for room in rooms for file in room.rglob("*.py")]
    assert len(files) > 100
    assert [file for file in files if is_table(file.read_text())] == []


def is_table(text):
    """Whether some dict pairs four of our names with a framework's."""
    wide = {"float64", "int64"}
    # Most files name neither, and to parse them takes long.
    if wide.isdisjoint(re.findall(r"\w+", text)):
        return False
    ours = {name for name in NAMES if name != "bool"}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Dict):
            words = set(re.findall(r"\w+", ast.unparse(node)))
            named = len({word.lower() for word in words} & ours)
            if named > 3 and words & wide:
                return True
    return False
