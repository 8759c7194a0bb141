"""System calls are those of a list; what compilers need is on it."""

import ctypes.util
import importlib.util
from pathlib import Path

import pytest

from tests.worker.conftest import Deed
from worker.sandbox.inside.seccomp import FILTERS

PROJECT = Path(__file__).parents[3]


def the_script():
    spec = importlib.util.spec_from_file_location(
        "seccomp_filters", PROJECT / "scripts" / "seccomp_filters.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.null
@pytest.mark.skipif(not ctypes.util.find_library("seccomp"), reason="there is no libseccomp here")
@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_filters_are_those_of_the_lists(machine: str) -> None:
    assert (FILTERS / f"{machine}.bpf").read_bytes() == the_script().program(machine)


@pytest.mark.null
def test_no_call_is_in_both_lists() -> None:
    script = the_script()
    conditional = {name for _, name, conditions in script.rules() if conditions}
    assert not set(script.ALLOWED) & set(script.REFUSED)
    assert not conditional & {*script.ALLOWED, *script.REFUSED}


CALL = "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"


@pytest.mark.service
@pytest.mark.parametrize(
    ("number", "errno"),
    [
        *((n, 1) for n in (101, 165, 272, 298, 310, 311, 321, 323, 425, 308, 155, 161, 248)),
        # What is on no list is not there.
        *((n, 38) for n in (435, 500, 600)),
    ],
)
def test_what_nobody_needs_is_refused(deed: Deed, number: int, errno: int) -> None:
    said = deed(CALL + f"say((c.syscall({number}, 0, 0, 0, 0, 0), ctypes.get_errno()))").said
    assert said == [f"(-1, {errno})"]


@pytest.mark.service
def test_new_namespaces_are_made_by_no_clone(deed: Deed) -> None:
    flags = "(0x10000000, 0x20000000, 0x00020000, 0x40000000)"
    said = deed(CALL + f"say([c.syscall(56, flag | 17, 0, 0, 0, 0) for flag in {flags}])").said
    assert said == ["[-1, -1, -1, -1]"]


@pytest.mark.service
@pytest.mark.parametrize(
    ("family", "allowed"), [(1, True), (2, True), (10, True), (16, False), (17, False), (40, False)]
)
def test_sockets_are_of_one_s_own_machine(deed: Deed, family: int, allowed: bool) -> None:
    source = (
        "import socket\n"
        f"try: socket.socket({family}, 3 if {family} in (16, 17) else 1); say(True)\n"
        "except OSError as refused: say((False, refused.errno))"
    )
    assert deed(source).said == (["True"] if allowed else ["(False, 1)"])


@pytest.mark.service
def test_numbers_of_another_machine_end_the_run(deed: Deed) -> None:
    outcome = deed(CALL + "c.syscall(0x40000000 | 39)")
    assert outcome.stage == "crash"
    assert "a system call that the sandbox does not allow" in outcome.message


@pytest.mark.service
@pytest.mark.parametrize("above", [0, 1 << 32], ids=["as an int", "with more above"])
def test_no_key_is_typed_for_another(deed: Deed, above: int) -> None:
    typed = f"c.syscall(16, terminal, ctypes.c_ulong({0x5412 | above}), b'x')"
    source = CALL + f"import os; _, terminal = os.openpty()\nsay(({typed}, ctypes.get_errno()))"
    assert deed(source).said == ["(-1, 1)"]


@pytest.mark.service
def test_what_programs_ask_of_files_is_there(deed: Deed) -> None:
    source = (
        "import fcntl, os\n"
        "file = open('/tmp/file', 'w')\n"
        "fcntl.flock(file, fcntl.LOCK_EX); fcntl.lockf(file, fcntl.LOCK_EX)\n"
        "os.set_inheritable(file.fileno(), True); os.set_blocking(os.pipe()[0], False)\n"
        "say(fcntl.fcntl(fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 90), fcntl.F_GETFD))"
    )
    assert deed(source).said == ["1"]
