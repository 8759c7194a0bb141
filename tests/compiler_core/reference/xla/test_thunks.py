"""The order of execution, out of an executable's bytes."""

import base64

import pytest

from compiler_core.reference.xla import hlo, thunks
from compiler_core.reference.xla.places import Places
from compiler_core.reference.xla.thunks import Thunk, Unreadable, thunks_of
from tests.compiler_core.reference.xla.samples import NODES, VERSIONS, sample


def message(*fields: tuple[int, bytes | int]) -> bytes:
    """A protocol buffer."""
    parts = [
        bytes([number << 3 | 2, len(value)]) + value
        if isinstance(value, bytes)
        else bytes([number << 3, value])
        for number, value in fields
    ]
    return b"".join(parts)


def executable(*each: bytes) -> bytes:
    return message((1, message((5, 2), (6, message(*((1, t) for t in each))))), (5, 1))


KERNEL = message(
    (1, b"kernel"), (2, message((1, b"sine_fusion"), (3, 6))), (11, message((1, b"sine_k")))
)
COPY = message((1, b"copy"), (2, message((1, b"copy.1"))), (4, message((3, 7))))


@pytest.mark.parametrize("header", [b"", b"\x03abc"], ids=["bare", "behind a header"])
def test_thunks_are_read_in_their_order(header: bytes) -> None:
    found = thunks_of(header + executable(KERNEL, COPY))
    assert found == [Thunk("kernel", "sine_fusion", "sine_k"), Thunk("copy", "copy.1")]


SLICE = message((1, 7), (2, message((3, 1))))
BODY = message((1, message((1, KERNEL))), (4, SLICE))
LOOP = message((1, b"while"), (2, message((1, b"while.6"))), (10, BODY))


def test_behind_a_loop_stand_those_that_it_runs() -> None:
    found = thunks_of(executable(LOOP, COPY))
    within = Thunk("kernel", "sine_fusion", "sine_k", "while.6")
    assert found == [Thunk("while", "while.6"), within, Thunk("copy", "copy.1")]


@pytest.mark.parametrize("data", [b"", b"\xff", b"\x0a\x7fab", message((3, b"x")), b"\x00\x00"])
def test_bytes_of_another_form_are_none(data: bytes) -> None:
    with pytest.raises(Unreadable):
        thunks_of(data)


@pytest.mark.parametrize("version", VERSIONS)
def test_without_them_the_schedule_is_shown_and_says_so(version: str) -> None:
    module = hlo.parse(sample(version, "cpu_after_optimizations.txt"))
    stage, found = thunks.stage(b"", Places("jax", NODES).of(module))
    assert [t.instruction for t in found][:2] == [
        "broadcast_maximum_fusion",
        "maximum_transpose_fusion",
    ]
    assert "could not be read" in stage.summary
    assert len(stage.tables[0].rows) == len(found) == 7


@pytest.mark.parametrize("version", VERSIONS)
def test_each_version_s_executable_is_read(version: str) -> None:
    data = base64.decodebytes(sample(version, "executable.txt").encode())
    module = hlo.parse(sample(version, "cpu_after_optimizations.txt"))
    found = thunks_of(data)
    assert {t.kind for t in found} == {"kernel", "dot"}
    assert [t.instruction for t in found] == [t.instruction for t in thunks.of_schedule(module)]
    assert all(t.kernel for t in found if t.kind == "kernel")
