"""What a snippet cannot see, reach or keep."""

import os
import socket
from pathlib import Path

import pytest

from tests.worker.conftest import Deed
from tests.worker.family import Running, alive, family
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service

PROJECT = Path(__file__).parents[3]

TRY = """
def attempt(what):
    try:
        say(f"did: {what()}")
    except BaseException as error:
        say(type(error).__name__)
"""


def attempt(deed: Deed, expression: str) -> str:
    outcome = deed(TRY + f"import os, socket, signal\nattempt(lambda: {expression})")
    assert outcome.report.error is None
    (said,) = outcome.said
    return said


def test_it_works(deed: Deed) -> None:
    outcome = deed("print('to python'); import os; os.system('echo to the shell')")
    assert outcome.report.error is None
    assert outcome.report.output.stdout == "to python\nto the shell\n"


def test_runners_are_forks_of_the_warm_server(deed: Deed) -> None:
    assert deed("import os; say(warm_in)").said == deed("import os; say(warm_in)").said != ["[]"]


def test_what_a_snippet_compiles_by_itself_is_written_to_its_own_folder(deed: Deed) -> None:
    """The server has noted a folder of its own, to which no runner can write."""
    expression = "os.makedirs(os.path.join(os.environ['TORCHINDUCTOR_CACHE_DIR'], 'own'))"
    assert attempt(deed, expression) == "did: None"


def test_environment_has_no_secrets(deed: Deed, monkeypatch: pytest.MonkeyPatch) -> None:
    said = deed("import os; say(sorted(os.environ))").said[0]
    for secret in ("REDIS_URL", "FUSELAB_SECRET_KEY", "DATABASE_URL"):
        assert secret not in said


@pytest.mark.parametrize(
    "path",
    [
        "/etc/shadow",
        "/etc/passwd",
        "/home",
        "/var",
        str(PROJECT),
        str(PROJECT / "var"),
        str(PROJECT / "webapp"),
        str(PROJECT / ".git"),
        str(PROJECT / "worker"),
        str(Path.home() / ".ssh"),
    ],
)
def test_files_of_the_machine_are_hidden(deed: Deed, path: str) -> None:
    assert attempt(deed, f"os.stat({path!r})") == "FileNotFoundError"


def test_of_the_project_only_the_compiler_and_the_sandbox_are_there(deed: Deed) -> None:
    listed = "set(os.listdir('/fuselab') + os.listdir('/fuselab/worker'))"
    (said,) = deed(f"import os; say(sorted({listed} - {{'.toolchains'}}))").said
    assert said == "['.venv', '__init__.py', 'compiler_core', 'sandbox', 'warm', 'worker']"


@pytest.mark.parametrize(
    "path",
    [
        *("/x", "/dev/x", "/usr/x", "/fuselab/x", "/fuselab/warm/x", "/etc/x"),
        "/proc/sys/kernel/core_pattern",
    ],
)
def test_nothing_but_its_own_tmp_is_writable(deed: Deed, path: str) -> None:
    assert attempt(deed, f"open({path!r}, 'w')") in ("OSError", "PermissionError")


def test_interpreter_is_not_writable(deed: Deed) -> None:
    assert attempt(deed, "open(os.__file__, 'a')") in ("OSError", "PermissionError")


def test_no_network(deed: Deed) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        assert attempt(deed, f"socket.create_connection({address}, 1)") == "OSError"
    assert attempt(deed, "socket.create_connection(('192.0.2.1', 80), 1)") == "OSError"
    interfaces = "[line.split(':')[0].strip() for line in open('/proc/net/dev')][2:]"
    assert deed(f"say({interfaces})").said == ["['lo']"]


def test_it_sees_no_process_but_its_own(deed: Deed) -> None:
    said = deed("import os; say([n for n in os.listdir('/proc') if n.isdecimal()])").said
    assert said == ["['1', '2']"]


def test_it_cannot_end_or_trace_its_supervisor(deed: Deed) -> None:
    ptrace = "__import__('ctypes').CDLL(None, use_errno=True).ptrace(16, 1, 0, 0)"
    assert attempt(deed, ptrace) == "did: -1"
    assert attempt(deed, "open('/proc/1/mem')") == "PermissionError"
    assert attempt(deed, "os.kill(1, signal.SIGKILL)") == "did: None"


def test_it_has_no_privilege_and_gets_none(deed: Deed) -> None:
    status = deed("say(open('/proc/self/status').read())").said[0]
    fields = dict(line.split(":\t") for line in status.splitlines() if ":\t" in line)
    for kind in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(fields[kind], 16) == 0
    assert fields["NoNewPrivs"] == "1"
    unshare = "__import__('ctypes').CDLL(None).unshare(0x10000000)"
    assert attempt(deed, unshare) == "did: -1"


def test_calls_that_only_attackers_make_are_refused(deed: Deed) -> None:
    io_uring = "__import__('ctypes').CDLL(None).syscall(425, 1, 0)"
    assert attempt(deed, io_uring) == "did: -1"
    assert attempt(deed, "os.memfd_create('held by no process')") == "PermissionError"
    status = deed("say(open('/proc/self/status').read())").said[0]
    assert "Seccomp:\t2" in status


def test_it_is_nobody_where_the_worker_is_root(deed: Deed, server: ForkServer) -> None:
    with Running(server, "import time; time.sleep(20)") as pids:
        assert {os.stat(f"/proc/{pid}").st_uid for pid in pids} != {0} or os.getuid() != 0
        status = [Path(f"/proc/{pid}/status").read_text() for pid in pids]
        uids = {line for text in status for line in text.splitlines() if line.startswith("Uid:")}
        assert not any("\t0" in line for line in uids)


def test_runners_share_no_tmp(deed: Deed) -> None:
    leave = "import os\nfor d in ('/tmp', '/dev/shm'): open(d + '/left', 'w').write('x')"
    assert deed(leave).report.error is None
    look = "import os; say(os.path.exists('/tmp/left') or os.path.exists('/dev/shm/left'))"
    assert deed(look).said == ["False"]


def test_nothing_is_left_of_a_run(server: ForkServer, deed: Deed) -> None:
    before = family(server)
    outcome = deed("import os\nif os.fork() == 0:\n os.setpgid(0, 0)\n import time; time.sleep(60)")
    assert outcome.report.error is None
    assert family(server) == before


def test_a_runner_cannot_signal_another(server: ForkServer, deed: Deed) -> None:
    with Running(server, "import time; time.sleep(20)") as others:
        assert others
        assert attempt(deed, "os.kill(-1, signal.SIGKILL)") == "ProcessLookupError"
        assert all(map(alive, others))


def test_a_cancelled_run_leaves_no_process(server: ForkServer) -> None:
    with Running(server, "import os, time; os.spawnlp(0, 'sleep', 'sleep', '20')") as pids:
        assert len(pids) >= 2
    assert not any(map(alive, pids))
