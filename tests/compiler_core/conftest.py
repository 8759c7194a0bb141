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


@pytest.fixture
def dynamo_forgotten() -> Iterator[None]:
    """TorchDynamo knows nothing of other tests' functions, and later ones nothing of this one's."""
    from compiler_core.capture.torch.dynamo import private

    private.forget()
    yield
    private.forget()


@pytest.fixture
def undisassembled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pipeline without its last stages, for tests that look at no machine code and at no single
    kernel's error: a disassembler takes longer than all that was compiled."""
    _leave_out(monkeypatch, "precision", "disassemble")


@pytest.fixture
def uncompiled(undisassembled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also without compiling Triton, for tests that look at numbers alone."""
    _leave_out(monkeypatch, "compile")


def _leave_out(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    # Late: it imports the frameworks, which few tests of texts need.
    from compiler_core.pipeline import order

    stages = tuple(s for s in order.PIPELINE if s.name not in names)
    assert len(stages) == len(order.PIPELINE) - len(names)
    monkeypatch.setattr(order, "PIPELINE", stages)
