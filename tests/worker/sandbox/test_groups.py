"""Control groups of runs, in a real folder of cgroup v2 where this machine lets one be made."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.control_groups import handed_over
from tests.worker.conftest import INSIDE, LIMITS, Deed, OtherRuns, perform
from tests.worker.family import Running, alive
from worker.sandbox import protocol
from worker.sandbox.equipment import Equipment
from worker.sandbox.groups import Groups, NoGroup, Unusable, _Own
from worker.sandbox.limits import MIB
from worker.sandbox.members import Members
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service

SMALL = msgspec.structs.replace(LIMITS, memory_bytes=64 * MIB)
SLEEPS = "import time; time.sleep(600)"
# More than SMALL, whose process has no limit but its group's.
GREEDY = "import sys; sys.stdin.read(1); held = bytearray(300 * 2**20)"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """What was handed to a worker."""
    with handed_over() as own:
        yield own


@pytest.fixture(scope="module")
def groups(folder: Path) -> Groups:
    return Groups(folder)


@pytest.fixture(scope="module")
def grouped(groups: Groups) -> Iterator[ForkServer]:
    with ForkServer("deeds", extra=(INSIDE,), equipment=Equipment(groups=groups)) as server:
        yield server


def runs(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.is_dir()]


def test_all_of_a_run_are_in_its_group_which_goes_with_it(
    grouped: ForkServer, folder: Path
) -> None:
    source = f"import os\nfor _ in range(3): os.fork() or exec({SLEEPS!r})\n{SLEEPS}"
    with Running(grouped, source) as members:
        (own,) = runs(folder)
        # Process 1, the snippet's own and its three.
        while len(inside := {*map(int, (own / "cgroup.procs").read_text().split())}) < 5:
            time.sleep(0.01)
        # Whoever forked them is about to end.
        while {*filter(alive, members)} - inside:
            time.sleep(0.01)
    assert not runs(folder)
    assert not any(map(alive, inside))


def test_a_run_ends_well_in_it(grouped: ForkServer, folder: Path) -> None:
    assert perform(grouped, "say('reached')").said == ["reached"]
    assert not runs(folder)


def test_while_another_measures_the_kernel_holds_all_of_it(
    grouped: ForkServer, folder: Path
) -> None:
    measures, frozen = threading.Event(), list[str]()
    measures.set()

    def look() -> None:
        deadline = time.monotonic() + 5
        while "frozen 1" not in frozen and time.monotonic() < deadline:
            for each in runs(folder):
                frozen.extend((each / "cgroup.events").read_text().splitlines())
            time.sleep(0.01)
        measures.clear()

    looking = threading.Thread(target=look)
    looking.start()
    source = "import time\nfor n in range(20): time.sleep(0.02)\nsay('went on')"
    outcome = perform(grouped, source, others=OtherRuns(measures.is_set))
    looking.join()
    assert "frozen 1" in frozen
    assert outcome.said == ["went on"]


def test_a_run_that_stands_still_is_cancelled(grouped: ForkServer, folder: Path) -> None:
    asked = threading.Event()
    threading.Timer(0.5, asked.set).start()
    outcome = perform(grouped, SLEEPS, others=OtherRuns(), cancelled=asked.is_set)
    assert outcome.cancelled and not runs(folder)


@pytest.fixture
def counting(groups: Groups) -> Groups:
    if "memory" not in groups.holds:
        pytest.skip("the folder of cgroup v2 does not count memory: another version has it here")
    return groups


def test_the_kernel_ends_who_wants_more_memory_than_the_group_has(counting: Groups) -> None:
    greedy = subprocess.Popen([sys.executable, "-c", GREEDY], stdin=subprocess.PIPE)
    pidfd = os.pidfd_open(greedy.pid)
    group = counting.take(SMALL, pidfd)
    assert not group.ran_out()
    greedy.communicate(b"\n", timeout=60)
    assert greedy.returncode == -signal.SIGKILL
    assert group.ran_out()
    group.remove()
    os.close(pidfd)


def test_the_run_is_told_that_it_was_its_memory(
    counting: Groups, grouped: ForkServer, deed: Deed
) -> None:
    # Files in memory, which the kernel counts for who wrote them.
    source = (
        "import os\nfor n in range(9):\n"
        " with open(f'/tmp/{n}', 'wb') as file: file.write(bytes(4 * 2**20))"
    )
    tight = msgspec.structs.replace(LIMITS, memory_bytes=24 * MIB, tmp_bytes=64 * MIB)
    assert perform(grouped, source, limits=tight).message.startswith(
        "The run used more than its 24 MiB of memory"
    )
    assert deed("say('unhurt')").said == ["unhurt"]


def test_of_a_run_that_is_over_already_no_group_is_left(groups: Groups, folder: Path) -> None:
    over = subprocess.Popen(["true"])
    pidfd = os.pidfd_open(over.pid)
    over.wait()
    assert isinstance(groups.take(LIMITS, pidfd), NoGroup)
    assert not runs(folder)
    os.close(pidfd)


def test_a_group_that_is_gone_keeps_nobody_from_ending_its_run(
    groups: Groups, folder: Path
) -> None:
    sleeping = subprocess.Popen(["sleep", "600"])
    members = Members(LIMITS, groups, isolate=True)
    members.begin(os.pidfd_open(sleeping.pid))
    (own,) = runs(folder)
    (folder / "cgroup.procs").write_text(str(sleeping.pid))
    own.rmdir()
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        members.stand_still(ours, True)
        assert theirs.recv(9) == protocol.FREEZE
    members.end()
    assert sleeping.wait() == -signal.SIGKILL


def test_what_a_killed_worker_left_is_cleared_away(folder: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    left, other = folder / f"run-{gone.pid}-0", folder / "somebody-elses"
    left.mkdir()
    other.mkdir()
    Groups(folder)
    assert runs(folder) == [other]
    other.rmdir()


@pytest.mark.parametrize("name", ["nowhere", "plain"])
def test_a_folder_that_cannot_hold_groups_is_refused_with_the_remedy(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(Unusable, match=r"FUSELAB_CGROUP is .*leave it unset"):
        Groups(tmp_path / name)


def test_a_run_has_half_of_what_the_worker_has_of_the_processors(tmp_path: Path) -> None:
    """Whether the kernel divides them so is seen where the folder has them."""
    (weight := tmp_path / "cpu.weight").touch()
    _Own(tmp_path).limit(LIMITS)
    assert weight.read_text() == "50"
