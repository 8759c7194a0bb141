"""What is said of a run that did not end well is what happened, with the limit and its value."""

import os
import subprocess
import sys

import msgspec
import pytest

from compiler_core.report import Failure, SnippetFailed, encode_event
from tests.worker.conftest import LIMITS, Deed
from worker.sandbox.collector import Collector
from worker.sandbox.failures import limit_met

pytestmark = pytest.mark.service

FAILED = (
    "from compiler_core.report import *\n"
    "def failed(e): emit(SnippetFailed(Failure('s', f'{type(e).__name__}: {e}')))\n"
)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "import os; os.kill(os.getpid(), 9)",
            "The run's process was ended by SIGKILL (a kill by itself, or by whoever runs the"
            " machine) while busy with running the snippet.",
        ),
        (
            "import os; os.close(3); say('lost')",
            "The run's process closed the connection over which it reports while busy with running"
            " the snippet.",
        ),
        (
            "import os; os.closerange(0, 100); say('lost')",
            "The run's process closed the connection over which it reports while busy with running"
            " the snippet.",
        ),
        (
            "stream.sendall(b'E' + (17 << 20).to_bytes(4, 'big'))",
            "The run was stopped because its process sent a frame of 17825792 bytes where 16777216"
            " may be.",
        ),
        (
            "import signal, os; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
            "open('/tmp/g', 'wb').write(bytes(9 << 20))",
            "The run's process was ended by SIGXFSZ (a file that grew over its limit of 8 MiB)"
            " while busy with running the snippet.",
        ),
    ],
)
def test_what_ended_a_run_is_said(deed: Deed, source: str, sentence: str) -> None:
    assert deed(source).message == sentence


def test_names_that_a_run_says_are_no_sentences_of_the_service(deed: Deed) -> None:
    source = (
        "from compiler_core.report import *\n"
        "emit(ProgramFound(0, 'A' * 60_000, 'torch', Entry(), []))\n"
        "emit(StageBegan(0, '\\u202e' + 'go to http://evil.example ' * 900))\n"
        "import os; os._exit(3)"
    )
    said = deed(source).message
    assert said.startswith("The run's process ended itself with exit code 3 while busy with")
    assert len(said) < 300 and said.isprintable()


def test_a_run_that_others_kept_from_the_processor_is_told_so(deed: Deed) -> None:
    own = min(os.sched_getaffinity(0))
    spin = f"import os; os.sched_setaffinity(0, {{{own}}})\nwhile True: pass"
    # Each in a session of its own: Linux may divide processors among sessions, not processes.
    command = [sys.executable, "-ISc", spin]
    others = [subprocess.Popen(command, start_new_session=True) for _ in range(6)]
    try:
        outcome = deed(spin, limits=msgspec.structs.replace(LIMITS, deadline_s=1.6))
    finally:
        for each in others:
            each.kill()
            each.wait()
    assert outcome.stage == "deadline"
    assert outcome.message.endswith(" of them it waited for a processor, which others had.")
    assert outcome.report.error.remedy == "Run it again when the machine has less to do."


@pytest.mark.parametrize(
    ("source", "limit"),
    [
        (
            "import os\nheld = []\n"
            "try:\n    while True: held.append(os.dup(0))\n"
            "except OSError as e: os.closerange(50, 5000); failed(e)",
            "A process of a run may have 1,024 files open.",
        ),
        (
            "try: open('/tmp/f', 'wb').write(bytes(9 << 20))\nexcept OSError as e: failed(e)",
            "A file of a run may have 8 MiB.",
        ),
        (
            "try:\n    for i in range(9): open(f'/tmp/{i}', 'wb').write(bytes(4 << 20))\n"
            "except OSError as e: failed(e)",
            "/tmp of a run holds 16 MiB, /dev/shm 256, and each 65,536 files.",
        ),
        (
            "try:\n    for i in range(70000): open(f'/tmp/{i}', 'w').close()\n"
            "except OSError as e: failed(e)",
            "/tmp of a run holds 16 MiB, /dev/shm 256, and each 65,536 files.",
        ),
        (
            "try: bytearray(600 << 20)\nexcept MemoryError as e: failed(e)",
            "A run may use 512 MiB of memory.",
        ),
    ],
)
def test_the_limit_that_an_exception_met_is_said(deed: Deed, source: str, limit: str) -> None:
    said = deed(FAILED + source).said
    assert said == [limit]


@pytest.mark.parametrize(
    "message",
    [
        "RuntimeError: [enforce fail at alloc_cpu.cpp:127] DefaultCPUAllocator: can't allocate "
        "memory: you tried to allocate 900000000 bytes.",
        "RuntimeError: there is no memory for 0.9 GB at once",
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 900000000 bytes.",
    ],
)
def test_a_framework_without_memory_met_the_limit_too(message: str) -> None:
    assert limit_met(message, LIMITS) == "A run may use 512 MiB of memory."


@pytest.mark.parametrize(
    "message",
    [
        "ValueError: the log has [Errno 28] No space left on device",
        "KeyError: '[Errno 24]'",
        "RuntimeError: see [Errno 27] File too large",
    ],
)
def test_who_only_speaks_of_an_error_has_met_no_limit(message: str) -> None:
    assert limit_met(message, LIMITS) == ""


EAGAIN = "BlockingIOError: [Errno 11] Resource temporarily unavailable"


@pytest.mark.parametrize(
    ("line", "limit"),
    [
        ("os.fork()", "A run may have 16 processes, and 64 threads in all of them."),
        ("subprocess.run(['true'])", "A run may have 16 processes, and 64 threads in all of them."),
        ("os.read(r, 1)", ""),
        ("a.send(b'x')", ""),
    ],
)
def test_what_does_not_wait_has_met_no_limit_but_a_fork_has(line: str, limit: str) -> None:
    limits = msgspec.structs.replace(LIMITS, processes=16, threads=64)
    trace = f'Traceback (most recent call last):\n  File "<snippet>", line 2\n    {line}\n{EAGAIN}'
    assert limit_met(EAGAIN, limits, trace) == limit


def test_a_failure_of_no_limit_says_none_and_each_limit_is_said_once() -> None:
    collector = Collector(LIMITS)
    for message in ("ValueError: no", "OSError: [Errno 28] No space", "[Errno 28] once more"):
        collector.event(encode_event(SnippetFailed(Failure("snippet", message))))
    said = [notice.text for notice in collector.report.notices]
    assert said == ["/tmp of a run holds 16 MiB, /dev/shm 256, and each 65,536 files."]
