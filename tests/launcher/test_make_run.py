"""What `make run` starts answers, and is gone after Ctrl-C, whoever dies first."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.ports import free_port

pytestmark = pytest.mark.service

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30


@dataclass
class Running:
    """A launcher that said where the page is."""

    process: subprocess.Popen[str]
    port: int
    said: list[str]

    @property
    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, words: str) -> psutil.Process:
        children = psutil.Process(self.process.pid).children()
        living = [child for child in children if child.status() != psutil.STATUS_ZOMBIE]
        return next(child for child in living if words in " ".join(child.cmdline()))

    def hear(self, pattern: str) -> None:
        """Reads what it prints until a line has this."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said.append(line.rstrip())
            if re.search(pattern, line):
                return
        pytest.fail("\n".join(["it ended before it said so:", *self.said]))

    def end(self) -> int:
        """Its exit status; what it printed until then is in `said`."""
        rest, _ = self.process.communicate(timeout=SECONDS)
        self.said += rest.splitlines()
        return self.process.returncode


def wait_for(what: Callable[[], bool]) -> None:
    for _ in range(10 * SECONDS):
        with suppress(StopIteration, psutil.NoSuchProcess, OSError):
            if what():
                return
        time.sleep(0.1)
    pytest.fail("it does not come true")


def answers(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
        return bool(page.status == 200)


def launch(port: int, folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "DATABASE_URL": f"sqlite:///{folder / 'runs.sqlite3'}"}
    for of_the_tests in ("REDIS_URL", "XLA_FLAGS"):
        environment.pop(of_the_tests, None)
    return subprocess.Popen(
        (sys.executable, "-m", "launcher", "--port", str(port)),
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    port = free_port()
    process = launch(port, tmp_path)
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line.rstrip())
        if "Fuselab is at" in line:
            break
    else:
        pytest.fail("\n".join(["it ended before the page answered:", *said]))
    yield Running(process, port, said)
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)


def test_the_page_answers_whoever_dies_comes_again_and_ctrl_c_leaves_no_process(
    running: Running,
) -> None:
    """In one life, because its beginning takes longer than all of this."""
    assert f"Fuselab is at http://127.0.0.1:{running.port}" in running.said[-1]
    with urllib.request.urlopen(f"http://127.0.0.1:{running.port}/", timeout=10) as page:
        assert b"Fuselab" in page.read()
    assert len(running.family) >= 3
    for name, words in (("worker", "celery"), ("web", "webapp.serve"), ("redis", "redis-server")):
        dead = running.child(words)
        dead.kill()
        running.hear(f"{name} *[|] was killed by signal 9; it is started again in 0.5 s")
        wait_for(lambda words=words, dead=dead: running.child(words).pid != dead.pid)
    wait_for(lambda: answers(running.port))
    family = running.family
    running.process.send_signal(signal.SIGINT)
    assert running.end() == 0
    assert running.said[-1].endswith("stopped")
    assert [process for process in family if process.is_running()] == []


def test_the_services_end_where_the_launcher_is_killed(running: Running) -> None:
    children = psutil.Process(running.process.pid).children()
    running.process.kill()
    _, left = psutil.wait_procs(children, timeout=SECONDS)
    assert left == []


def test_a_port_in_use_is_one_clear_sentence(tmp_path: Path) -> None:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        printed, _ = launch(port, tmp_path).communicate(timeout=SECONDS)
    remedy = f"try: make run PORT={port + 1}"
    assert printed == f"Port {port} cannot be used (Address already in use); {remedy}\n"
