"""What the rooms of the compiler core share in their tests."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.compiler_core import on_a_mesh
from tests.compiler_core.codegen.triton import interpreter


@pytest.fixture(scope="session")
def interpreter_process() -> Iterator[ProcessPoolExecutor]:
    """A process in which Triton interprets kernels on CPU tensors."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=interpreter.start) as pool:
        yield pool


@pytest.fixture(scope="session")
def mesh_process() -> Iterator[ProcessPoolExecutor]:
    """A process whose CPU is eight devices to JAX."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=on_a_mesh.start) as pool:
        yield pool
