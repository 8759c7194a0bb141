"""What the rooms of the compiler core share in their tests."""

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.compiler_core.codegen.triton import interpreter


@pytest.fixture(scope="session")
def interpreter_process() -> Iterator[ProcessPoolExecutor]:
    """A process in which Triton interprets kernels on CPU tensors."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=interpreter.start) as pool:
        yield pool
