"""The warm server lives as long as its worker: it comes again when it dies, and goes with it."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.worker.conftest import INSIDE, LIMITS, perform
from worker.sandbox import bubblewrap, probe
from worker.sandbox import server as fork_server
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service
PROJECT = Path(__file__).parents[3]


def soon(what: Callable[[], object]) -> bool:
    """Whether it comes true within some seconds."""
    for _ in range(500):
        if what():
            return True
        time.sleep(0.02)
    return False


@pytest.fixture
def own() -> Iterator[ForkServer]:
    """A server that may be killed."""
    with ForkServer("deeds", extra=(INSIDE,)) as server:
        server.wait()
        yield server


def test_killed_server_comes_again(own: ForkServer) -> None:
    assert own.pid is not None
    os.kill(own.pid, signal.SIGKILL)
    assert soon(lambda: own.starts == 2 and own.warm)
    assert perform(own, "say('well')").said == ["well"]


def test_server_that_is_closed_as_it_begins_leaves_no_process(tmp_path: Path) -> None:
    """Killed between its clone and the user namespace, bubblewrap has a child that would wait for
    ever."""
    for _ in range(12):
        with ForkServer("deeds", extra=(tmp_path,)) as server:
            while not _has_children(server.pid):
                pass
    assert soon(lambda: not _named(str(tmp_path)))


def _has_children(pid: int | None) -> bool:
    return pid is not None and bool(Path(f"/proc/{pid}/task/{pid}/children").read_text())


def _named(word: str) -> list[int]:
    """The processes in whose command line the word is."""
    return [
        pid for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if word in _line(pid)
    ]


def _line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
    except OSError:
        return ""


def test_run_whose_server_is_killed_says_so(own: ForkServer) -> None:
    def kill_once() -> bool:
        if own.pid is not None and own.starts == 1:
            os.kill(own.pid, signal.SIGKILL)
        return False

    outcome = perform(own, "import time; time.sleep(60)", cancelled=kill_once)
    assert outcome.stage == "sandbox"
    assert outcome.report.error is not None
    assert outcome.report.error.remedy == "Run it again."


def test_server_that_cannot_warm_up_is_told_of(capfd, monkeypatch) -> None:
    monkeypatch.setattr(fork_server, "_PAUSE_S", (0.1,))
    with ForkServer("no_such_module", warm_up_s=1) as server:
        outcome = perform(server, "pass")
    assert outcome.message.startswith(
        "The run could not be started: the compiler failed to start 3"
    )
    assert "No module named 'no_such_module'" in capfd.readouterr().err


@pytest.fixture
def with_standby() -> Iterator[ForkServer]:
    with ForkServer("deeds", extra=(INSIDE,), standby=LIMITS) as server:
        server.wait()
        assert soon(lambda: server._standby._files is not None)
        yield server


def test_a_run_takes_the_standby_runner_and_leaves_another(with_standby: ForkServer) -> None:
    first = with_standby._standby._files
    assert perform(with_standby, "say('well')").said == ["well"]
    assert with_standby._standby._files not in (None, first)
    assert perform(with_standby, "say('again')").said == ["again"]


def test_a_standby_runner_is_for_its_limits_only(with_standby: ForkServer) -> None:
    own = msgspec.structs.replace(LIMITS, deadline_s=0.3)
    assert perform(with_standby, "while True: pass", limits=own).stage == "deadline"
    assert perform(with_standby, "say('well')").said == ["well"]


def test_a_standby_runner_goes_with_its_server(with_standby: ForkServer) -> None:
    assert with_standby.pid is not None
    os.kill(with_standby.pid, signal.SIGKILL)
    assert soon(lambda: with_standby.starts == 2)
    assert perform(with_standby, "say('well')").said == ["well"]


WORKER = """
import sys, time
from pathlib import Path
from typing import Any
from compiler_core.report import Options
from worker.sandbox.limits import Limits
from worker.sandbox.protocol import Request
from worker.sandbox.server import ForkServer
from worker.sandbox.session import Session
isolate = sys.argv[2] == "isolated"
with ForkServer("deeds", extra=(Path(sys.argv[1]),), isolate=isolate) as server:
    server.wait()
    source = "import subprocess, time; subprocess.Popen(['sleep', '61.37']); time.sleep(60)"
    for batch in Session(server, Request(source, Options()), Limits()).batches():
        print(server.pid, flush=True)
"""


@pytest.mark.parametrize("how", ["isolated", "not isolated"])
def test_nothing_outlives_a_killed_worker(how: str) -> None:
    command = [sys.executable, "-c", WORKER, str(INSIDE), how]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROJECT) as worker:
        assert worker.stdout is not None
        server = int(worker.stdout.readline())
        assert soon(sleepers)
        worker.kill()
    assert soon(lambda: not sleepers() and not Path(f"/proc/{server}").exists())


def sleepers() -> list[str]:
    """The processes of the run above, by their command line."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes() == b"sleep\x0061.37\x00":
                found.append(path.parent.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def test_machine_that_can_confine_is_accepted() -> None:
    probe.require_sandbox()


def test_machine_that_cannot_is_told_how_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real refusal: a runner may not make a namespace where none may be made."""
    forbid = "echo 0 > /proc/sys/user/max_mnt_namespaces"
    real = bubblewrap.arguments

    def forbidding(**options: Any) -> list[str]:
        shell = ("sh", "-c", f'{forbid}; exec "$@"', "sh")
        walls = real(**options)
        return ["unshare", "--user", "--map-root-user", *shell, *walls]

    monkeypatch.setattr(bubblewrap, "arguments", forbidding)
    with pytest.raises(probe.SandboxUnavailable) as refusal:
        probe.require_sandbox()
    for remedy in ("unprivileged_userns_clone", "apparmor", "max_user_namespaces", "security_opt"):
        assert remedy in str(refusal.value)


def test_without_sandbox_it_works(unconfined: ForkServer) -> None:
    outcome = perform(unconfined, "import os; os.system('echo shell'); say('well')")
    assert outcome.said == ["well"]
    assert outcome.report.output.stdout == "shell\n"


def test_without_sandbox_a_cut_off_run_leaves_no_process_and_no_files(
    unconfined: ForkServer,
) -> None:
    source = (
        "import os, subprocess, time\n"
        "say(os.getcwd())\n"
        "subprocess.Popen(['setsid', 'sleep', '61.37'])\n"
        "time.sleep(60)"
    )
    asked = iter([False, False, True, True, True])
    outcome = perform(unconfined, source, cancelled=lambda: next(asked))
    assert outcome.cancelled
    assert soon(lambda: not sleepers() and not Path(outcome.said[0]).exists())


def test_without_sandbox_environment_has_no_secrets(unconfined: ForkServer) -> None:
    assert "REDIS_URL" not in perform(unconfined, "import os; say(sorted(os.environ))").said[0]


@pytest.mark.skipif(os.getuid() != 0, reason="only root needs a namespace prepared")
def test_a_namespace_is_ready_though_something_else_was_forked_meanwhile(monkeypatch) -> None:
    """As the server of another toolchain is: it has the ends of the pipes, too."""
    others, fork = [], os.fork

    def forked() -> int:
        other = fork()
        if other == 0:
            time.sleep(60)
            os._exit(0)
        others.append(other)
        return fork()

    monkeypatch.setattr(os, "fork", forked)
    found: list[int | None] = []
    preparing = threading.Thread(
        target=lambda: found.append(bubblewrap.root_namespace()), daemon=True
    )
    preparing.start()
    preparing.join(10)
    waits = preparing.is_alive()
    for other in others:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)
    preparing.join(10)
    assert found[0] is not None and not waits
    os.close(found[0])
