"""A conversation with a compiler in another process, whatever becomes of it."""

import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from compiler_core.errors import MeasureError, ToolchainError
from compiler_core.extras.inside import serve
from compiler_core.extras.program import Remote
from compiler_core.extras.session import Session

FAKE = Path(__file__).with_name("doubling.py")


@pytest.fixture
def session():
    made = Session("Doubling", Path(sys.executable), str(FAKE))
    yield made
    made.close()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_is_asked_is_answered_whatever_else_is_printed(session):
    assert session.ask("compile", text="module", level=2) == {"text": "module", "level": 2}
    assert session.ask("about") == "doubling"


def test_a_program_is_called_and_its_outputs_fetched(session):
    program = Remote(session)
    sets = [program.load([np.full(3, n, np.float32)]) for n in (1, 2)]
    spent, outputs = program.timed([sets[0], sets[0], sets[1]])
    assert spent > 0
    (found,) = program.fetch(outputs)
    assert found.tolist() == [4, 4, 4] and found.dtype == np.float32


def test_outputs_of_an_earlier_call_are_not_given_as_those_of_a_later_one(session):
    program = Remote(session)
    given = program.load([np.ones(2)])
    early = program.call(given)
    program.call(given)
    with pytest.raises(MeasureError, match="replaced by those of a later call"):
        program.fetch(early)


TYPES = [np.bool_, np.int8, np.uint32, np.int64, np.float16, np.float64, np.complex64,
         ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]  # fmt: skip


def test_arrays_of_every_type_and_shape_come_back_as_they_were(tmp_path):
    file = str(tmp_path / "arrays.npz")
    given = [np.ones(shape, dtype) for dtype in TYPES for shape in ((), (0, 3), (2, 3))]
    serve.write(file, given)
    for before, after in zip(given, serve.read(file), strict=True):
        assert before.dtype == after.dtype and before.shape == after.shape
        assert before.tobytes() == after.tobytes()


def test_a_refusal_is_one_sentence_and_the_process_goes_on(session):
    with pytest.raises(ToolchainError) as raised:
        session.ask("compile", text="refuse")
    assert raised.value.sentence == "no such operation"
    assert "see the manual" in raised.value.message
    assert session.ask("about") == "doubling"


def test_a_process_that_dies_says_what_it_said_last(session):
    with pytest.raises(ToolchainError) as raised:
        session.ask("compile", text="die")
    assert raised.value.sentence == "Doubling's process was ended: the disk is full"


def test_what_takes_too_long_is_ended(session):
    assert session.ask("about") == "doubling"
    process, folder = session._process.pid, session.folder
    with pytest.raises(ToolchainError, match="it took too long"):
        session.ask("compile", seconds=0.3, text="hang")
    assert not is_running(process) and not folder.exists()


def test_a_reply_is_bounded(session):
    with pytest.raises(ToolchainError, match="more than anybody asked for"):
        session.ask("compile", text="flood")


def test_the_process_ends_with_the_one_that_asked(tmp_path):
    script = f"""
        import os
        from pathlib import Path
        from compiler_core.extras.session import Session
        session = Session("Doubling", Path({sys.executable!r}), {str(FAKE)!r})
        session.ask("about")
        print(session._process.pid, flush=True)
        os.kill(os.getpid(), 9)
    """
    told = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[3],
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    process, deadline = int(told.stdout), time.monotonic() + 10
    while is_running(process) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_running(process)


def test_an_interpreter_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(ToolchainError, match="Doubling does not start: No such file"):
        Session("Doubling", tmp_path / "python", str(FAKE))
