"""What `make run` starts answers, and is gone after Ctrl-C, whoever dies first."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.control_groups import handed_over
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


def launch(port: int, folder: Path, **settings: str) -> subprocess.Popen[str]:
    database = f"sqlite:///{folder / 'runs.sqlite3'}"
    # Nothing is timed here, and a processor of which nothing is recorded would be measured first.
    own = {"DATABASE_URL": database, "FUSELAB_PROBE": "0"}
    environment = {**os.environ, **own, **settings}
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
    with launched(tmp_path) as found:
        yield found


@contextmanager
def launched(folder: Path, **settings: str) -> Iterator[Running]:
    """One whose page answers."""
    port = free_port()
    process = launch(port, folder, **settings)
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line.rstrip())
        if "Fuselab is at" in line:
            break
    else:
        pytest.fail("\n".join(["it ended before the page answered:", *said]))
    try:
        yield Running(process, port, said)
    finally:
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


# With the compilers, which take half a minute to be warm: tests/worker/test_celery.py has it of a
# worker without them.
@pytest.mark.sweep
def test_each_run_is_in_a_control_group_where_a_folder_of_them_was_handed_over(
    tmp_path: Path,
) -> None:
    source = "# inputs: f32[8]\n\ndef f(x):\n    return x + 1\n"
    asked = {"source": source, "options": {"measure": False}}
    with handed_over() as folder, launched(tmp_path, FUSELAB_CGROUP=str(folder)) as running:
        url = f"http://127.0.0.1:{running.port}/api/v1/runs"
        run, groups = called(url, asked), set[str]()
        # The API is asked seldom: nobody reads here what the web logs of it.
        for look in range(3000):
            groups |= {each.name for each in folder.iterdir() if each.is_dir()}
            if look % 100 == 0 and called(f"{url}/{run['id']}?texts=none")["state"] == "done":
                break
            time.sleep(0.02)
        else:
            pytest.fail("the run does not end")
        assert groups and all(name.startswith("run-") for name in groups)
        running.process.send_signal(signal.SIGINT)
        assert running.end() == 0


def called(url: str, body: object = None) -> dict[str, str]:
    """The API's answer: to a POST if there is a `body`."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as response:
        return dict(json.load(response))


def test_a_folder_without_control_groups_is_refused_by_the_worker(tmp_path: Path) -> None:
    """Before the page answers, which ends all of it, or after."""
    refused = f"FUSELAB_CGROUP is {tmp_path}, in which no control groups of runs can be"
    process = launch(free_port(), tmp_path, FUSELAB_CGROUP=str(tmp_path))
    assert process.stdout is not None
    try:
        assert any(refused in line for line in process.stdout)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)


def test_a_port_in_use_is_one_clear_sentence(tmp_path: Path) -> None:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        printed, _ = launch(port, tmp_path).communicate(timeout=SECONDS)
    remedy = f"try: make run PORT={port + 1}"
    assert printed == f"Port {port} cannot be used (Address already in use); {remedy}\n"
