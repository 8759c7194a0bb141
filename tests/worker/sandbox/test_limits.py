"""What cuts a run off, the sentence that says so, and that the report keeps what was reached."""

import threading
import time
from functools import reduce

import msgspec
import pytest

from compiler_core.report import Event, Finished, Options, Report, apply
from tests.worker.conftest import LIMITS, Deed
from worker.sandbox.limits import KIB, MIB, Limits
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session

pytestmark = pytest.mark.service

SHORT = msgspec.structs.replace(LIMITS, deadline_s=0.5)


def changed(**limits: object) -> Limits:
    return msgspec.structs.replace(LIMITS, **limits)


def finished(events: list[Event]) -> bool:
    return any(isinstance(event, Finished) for event in events)


def test_deadline_stops_an_endless_loop_and_keeps_what_was_reached(deed: Deed) -> None:
    outcome = deed("say('reached')\nwhile True: pass", limits=SHORT)
    assert outcome.stage == "deadline"
    assert outcome.message == (
        "The run was stopped at its deadline of 0.5 s while busy with running the snippet."
    )
    assert "endless loop" in outcome.report.error.remedy
    assert outcome.said == ["reached"]
    assert not finished(outcome.events)


def test_what_the_run_was_busy_with_is_told(deed: Deed) -> None:
    source = (
        "from compiler_core.report import *\n"
        "emit(ProgramFound(0, 'model', 'torch', Entry(), []))\n"
        "emit(StageBegan(0, 'capture'))\n"
        "import os; os._exit(3)"
    )
    assert deed(source).message.endswith(" with exit code 3 while busy with capture of model.")


@pytest.mark.parametrize(
    ("stage", "remedy"),
    [
        ("capture", "Look for an endless loop; else make the inputs smaller."),
        ("measure", "Leave out measuring, or choose fewer compilers to be measured."),
        ("inductor", "Leave TorchInductor out of the compilers."),
        (
            "emit",
            "Leave out measuring, choose none as the target (only what runs it), or run less in "
            "one snippet.",
        ),
    ],
)
def test_the_remedy_of_a_deadline_fits_the_stage_in_which_it_ended(
    deed: Deed, stage: str, remedy: str
) -> None:
    source = (
        "from compiler_core.report import *\n"
        "emit(ProgramFound(0, 'model', 'torch', Entry(), []))\n"
        f"emit(StageBegan(0, {stage!r}))\n"
        "import time; time.sleep(60)"
    )
    assert deed(source, limits=SHORT).report.error.remedy == remedy


def test_time_in_which_its_events_could_not_be_stored_is_not_the_runs(server: ForkServer) -> None:
    """As while a database is locked: the snippet was told that it had passed its deadline."""
    own = msgspec.structs.replace(LIMITS, deadline_s=1.0)
    source = "say('first')\nimport time; time.sleep(0.3); say('well')"
    session, events = Session(server, Request(source, Options()), own), []
    for batch in session.batches():
        events += batch
        time.sleep(2.0 if len(events) == len(batch) else 0)
    whole = reduce(apply, events, Report())
    assert (whole.error, whole.notices[-1].text) == (None, "well")


def test_deadline_holds_for_a_process_that_ignores_signals(deed: Deed) -> None:
    source = (
        "import signal, time\nfor n in (2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(60)"
    )
    assert deed(source, limits=SHORT).stage == "deadline"


def test_cancel_stops_a_run(deed: Deed) -> None:
    asked = threading.Event()
    threading.Timer(0.3, asked.set).start()
    outcome = deed("say('reached'); import time; time.sleep(60)", cancelled=asked.is_set)
    assert outcome.cancelled
    assert outcome.report.error is None
    assert outcome.said == ["reached"]


# A step in C that keeps Python's lock: nothing that the runner itself does would end it.
NATIVE = "say('reached'); import ctypes; ctypes.PyDLL(None).sleep(60)"


def test_a_native_step_is_ended_at_the_deadline_and_by_cancel(deed: Deed) -> None:
    began, asked = time.monotonic(), threading.Event()
    late = deed(NATIVE, limits=SHORT)
    assert (late.stage, late.said) == ("deadline", ["reached"])
    threading.Timer(0.3, asked.set).start()
    outcome = deed(NATIVE, cancelled=asked.is_set)
    assert outcome.cancelled and outcome.said == ["reached"]
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV (a segmentation fault"),
        ("import os; os.abort()", "SIGABRT (an abort"),
        ("import os; os._exit(3)", "ended itself with exit code 3"),
        ("import os; os._exit(0)", "ended itself with exit code 0"),
    ],
)
def test_crash_is_one_sentence(deed: Deed, source: str, sentence: str) -> None:
    outcome = deed(f"say('reached'); {source}")
    assert outcome.stage == "crash"
    assert sentence in outcome.message
    assert outcome.said == ["reached"]


def test_error_of_the_compiler_says_so_and_shows_the_traceback(deed: Deed) -> None:
    outcome = deed("raise RuntimeError('of ours')")
    assert outcome.stage == "compiler"
    assert "RuntimeError: of ours" in outcome.report.output.stderr


def test_output_is_capped_with_a_notice(deed: Deed) -> None:
    outcome = deed("print('x' * 3000); print('y')", limits=changed(output_bytes=2 * KIB))
    assert outcome.report.output.stdout == "x" * 2048
    assert outcome.said == ["The snippet printed more than 2 KiB; the rest was left out."]
    assert finished(outcome.events)


def test_endless_output_ends_the_run(deed: Deed) -> None:
    outcome = deed("while True: print('x' * 100000)")
    assert outcome.stage == "output"
    assert len(outcome.report.output.stdout) == LIMITS.output_bytes


def test_output_that_is_not_text_is_shown_as_well_as_it_can_be(deed: Deed) -> None:
    outcome = deed("import os; os.write(1, b'\\xff\\xc3'); os.write(1, b'\\xa9')")
    assert outcome.report.output.stdout == "\ufffdé"


def test_allocation_over_the_limit_fails_as_an_ordinary_error(deed: Deed) -> None:
    outcome = deed("try: bytearray(600 << 20)\nexcept MemoryError: say('refused')")
    assert outcome.said == ["refused"]
    assert finished(outcome.events)


def test_memory_of_all_processes_together_is_limited(deed: Deed) -> None:
    """Each of them stays below what one process may have."""
    source = (
        "import os, time\n"
        "for i in range(3):\n"
        "    if os.fork() == 0: held = bytearray(os.urandom(1)) * (60 << 20); time.sleep(60)\n"
        "time.sleep(60)"
    )
    outcome = deed(source, limits=changed(memory_bytes=128 * MIB))
    assert outcome.stage == "memory"
    assert outcome.message == (
        "The run used more than its 128 MiB of memory while busy with running the snippet."
    )


def test_processor_time_is_limited(deed: Deed) -> None:
    outcome = deed("while True: pass", limits=changed(cpu_s=1))
    assert outcome.stage == "cpu"
    assert "1 s of processor time" in outcome.message


def test_fork_bomb_is_contained(deed: Deed) -> None:
    source = (
        "import os, time\n"
        "n = 0\n"
        "try:\n"
        "    while True:\n"
        "        n += 1\n"
        "        if os.fork() == 0: time.sleep(60)\n"
        "except OSError as error: say(f'{n} {type(error).__name__}')"
    )
    outcome = deed(source, limits=changed(threads=20))
    assert outcome.said == ["19 BlockingIOError"] or outcome.stage == "processes"


def test_a_file_cannot_grow_over_its_limit(deed: Deed) -> None:
    source = "try: open('/tmp/f', 'wb').write(bytes(9 << 20))\nexcept OSError as e: say(e.strerror)"
    assert deed(source).said == ["File too large"]


def test_tmp_cannot_grow_over_its_limit(deed: Deed) -> None:
    source = (
        "try:\n"
        "    for i in range(9): open(f'/tmp/{i}', 'wb').write(bytes(4 << 20))\n"
        "except OSError as e: say(e.strerror)"
    )
    assert deed(source).said == ["No space left on device"]


def test_gcc_works_in_a_runner(deed: Deed) -> None:
    source = (
        "import subprocess, ctypes\n"
        "open('f.c', 'w').write('#include <math.h>\\ndouble f(double x) { return sqrt(x); }')\n"
        "subprocess.run('gcc -O2 -shared -fPIC f.c -o f.so -lm', shell=True, check=True)\n"
        "f = ctypes.CDLL('./f.so').f; f.restype = ctypes.c_double; f.argtypes = [ctypes.c_double]\n"
        "say(f(9.0))"
    )
    assert deed(source).said == ["3.0"]


def test_server_goes_on_after_every_cut(deed: Deed) -> None:
    deed("import ctypes; ctypes.string_at(0)")
    deed("while True: pass", limits=SHORT)
    assert finished(deed("pass").events)
