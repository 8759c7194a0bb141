"""A worker's fork servers: which live, for how long, and in which environment a run is."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from compiler_core.environments import Toolchain, installed
from tests import toolchains
from tests.worker.conftest import INSIDE, perform
from worker.sandbox.equipment import Equipment
from worker.sandbox.server import ForkServer, ServerUnavailable
from worker.servers import Servers

pytestmark = pytest.mark.service

VERSION = "import importlib.metadata as m; say(m.version('jax'))"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project") / ".toolchains"
    toolchains.make(folder, "jax-8", jax="8.0.0")
    toolchains.make(folder, "jax-9", jax="9.0.0")
    return folder


class Recorded:
    """Servers of deeds, and a list of those that were made; the worker's own starts only where a
    test says so."""

    def __init__(self, folder: Path, **options: float) -> None:
        self.folder, self.made = folder, []
        self.servers = Servers(self._make, installed(folder), **{"warm": 1, **options})

    def _make(self, toolchain: Toolchain | None) -> ForkServer:
        self.made.append(toolchain.name if toolchain else "")
        return ForkServer(
            "deeds",
            extra=(INSIDE,),
            equipment=Equipment(toolchains=self.folder),
            toolchain=toolchain,
        )

    def run(self, name: str, source: str = VERSION) -> list[str]:
        with self.servers.lent(name) as server:
            return perform(server, source).said


@pytest.fixture
def begin(folder: Path) -> Iterator[Callable[..., Recorded]]:
    begun: list[Recorded] = []

    def start(**options: float) -> Recorded:
        begun.append(Recorded(folder, **options))
        return begun[-1]

    yield start
    for each in begun:
        each.servers.close()


def soon(what: Callable[[], object]) -> bool:
    for _ in range(500):
        if what():
            return True
        time.sleep(0.02)
    return False


def test_a_toolchains_server_begins_with_the_first_run_that_names_it(begin) -> None:
    one = begin()
    one.servers.start()
    assert one.made == [""] and one.servers.others == []
    assert one.run("jax-9") == ["9.0.0"]
    assert one.run("jax-9") == ["9.0.0"]
    assert one.made == ["", "jax-9"] and one.servers.others == ["jax-9"]
    assert one.run("") not in (["9.0.0"], ["8.0.0"])


def test_a_run_sees_its_environment_and_cannot_change_it(begin) -> None:
    source = (
        "import sys; say(sys.prefix)\n"
        "try: open(sys.prefix + '/new', 'w')\n"
        "except OSError as refused: say(refused.strerror)"
    )
    said = begin().run("jax-9", source)
    assert said == ["/fuselab/.toolchains/jax-9", "Read-only file system"]


def test_another_toolchain_takes_the_place_of_one_that_nobody_uses(begin) -> None:
    one = begin(warm=1)
    one.run("jax-9")
    assert one.run("jax-8") == ["8.0.0"]
    assert one.servers.others == ["jax-8"]


def test_one_that_is_in_use_stays_until_its_run_is_over(begin) -> None:
    one = begin(warm=0)
    with one.servers.lent("jax-9") as server:
        one.run("jax-8")
        assert one.servers.others == ["jax-9"]
        assert perform(server, VERSION).said == ["9.0.0"]
    assert one.servers.others == []


def test_one_that_nobody_wants_for_long_ends(begin) -> None:
    one = begin(idle_s=0.2)
    with one.servers.lent("jax-9") as server:
        server.wait()
        process = server.pid
    assert process and Path(f"/proc/{process}").exists()
    assert soon(lambda: not one.servers.others and not Path(f"/proc/{process}").exists())
    assert one.run("jax-9") == ["9.0.0"]


def test_a_worker_without_the_toolchain_says_so(begin) -> None:
    with pytest.raises(ServerUnavailable, match="no toolchain 'jax-7'"):
        begin().run("jax-7")


def test_a_run_that_waits_for_a_cold_server_says_so_and_can_be_cancelled(folder: Path) -> None:
    cold = ForkServer("deeds", toolchain=installed(folder)["jax-9"])
    asked = threading.Event()

    def cancelled() -> bool:
        asked.set()
        return True

    outcome = perform(cold, VERSION, cancelled=cancelled)
    (began,) = outcome.events
    assert began.name == "start" and began.detail.startswith("jax-9")
    assert outcome.cancelled and asked.is_set()
