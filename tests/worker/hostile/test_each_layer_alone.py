"""Each layer of the sandbox stops its own attacks with all others off: none leans on another.

Every attack is tried without the layer first, where it succeeds: it is the layer that stops it.
"""

import ctypes
import mmap
import os
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.worker.alone import own_namespaces, tried
from tests.worker.conftest import LIMITS, perform
from tests.worker.sandbox.test_limits import changed
from worker.sandbox import bubblewrap
from worker.sandbox.inside import init, landlock, linux, namespaces, runner, seccomp
from worker.sandbox.limits import KIB, MIB
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service

_libc = ctypes.CDLL(None, use_errno=True)


def called(number: int, *arguments: object) -> int:
    """The system call's result. Raises OSError."""
    result = linux.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def slowed(process: int) -> None:
    os.setpriority(os.PRIO_PROCESS, process, 19)


@pytest.fixture(scope="module")
def other() -> Iterator[int]:
    """A process that is no business of a run's."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


CALLS: dict[str, Callable[[int], object]] = {
    "memory that no process holds": lambda _: bool(os.memfd_create("x")),
    "memory that processes share": lambda _: len(mmap.mmap(-1, 4096)),
    "another process slowed": slowed,
    "a new user namespace": lambda _: linux.unshare(linux.CLONE_NEWUSER),
    "a socket to the kernel": lambda _: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) and 1,
    "watches on files": lambda _: called(294, 0) > 0,
    "a mount": lambda _: own_tmpfs(),
}


def own_tmpfs() -> None:
    linux.mount("tmpfs", "/tmp", 0)


@pytest.mark.parametrize("attack", CALLS.values(), ids=CALLS.keys())
def test_seccomp_alone(attack: Callable[[int], object], other: int) -> None:
    before = own_namespaces if attack is CALLS["a mount"] else lambda: None
    assert tried(lambda: attack(other), before) in ("None", "True", "1", "4096")
    assert tried(lambda: attack(other), before, seccomp.allow_known_calls) == "EPERM"


def test_namespaces_alone_hide_processes(other: int) -> None:
    def attack() -> None:
        os.kill(other, 0)

    assert (tried(attack), tried(attack, own_namespaces)) == ("None", "ESRCH")


def test_namespaces_alone_hide_the_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def attack() -> None:
            socket.create_connection(listener.getsockname(), 1).close()

        assert (tried(attack), tried(attack, own_namespaces)) == ("None", "ENETUNREACH")


def test_namespaces_alone_hide_shared_memory() -> None:
    key = os.getpid()
    made = _libc.shmget(key, 4096, 0o1600)
    try:

        def attack() -> bool:
            return _libc.shmget(key, 0, 0) == made

        assert (tried(attack), tried(attack, own_namespaces)) == ("True", "False")
    finally:
        _libc.shmctl(made, 0, None)


def test_no_capability_is_enough_to_mount_nothing() -> None:
    assert tried(own_tmpfs, own_namespaces) == "None"
    assert tried(own_tmpfs, own_namespaces, linux.drop_capabilities) == "EPERM"


def folders() -> None:
    namespaces.make_folders(LIMITS)


def test_folders_of_one_s_own_alone_hide_others_files(tmp_path: Path) -> None:
    secret = Path("/tmp") / f"secret-{os.getpid()}"
    secret.write_text("seen")
    try:
        assert tried(secret.read_text, own_namespaces) == "seen"
        assert tried(secret.read_text, own_namespaces, folders) == "ENOENT"
    finally:
        secret.unlink()


def test_folders_of_one_s_own_alone_hold_so_much() -> None:
    def attack() -> None:
        with open("/tmp/f", "wb") as file:
            for _ in range(LIMITS.tmp_bytes // MIB + 1):
                file.write(bytes(MIB))

    assert tried(attack, own_namespaces, folders) == "ENOSPC"


def test_folders_of_one_s_own_alone_hide_terminals() -> None:
    def attack() -> int:
        return len(os.listdir("/dev/pts"))

    first, second = os.openpty()
    assert int(tried(attack, own_namespaces)) > 1
    assert tried(attack, own_namespaces, folders) == "1"
    os.close(first)
    os.close(second)


def test_the_mask_over_proc_alone() -> None:
    def attack() -> int:
        return len(Path("/proc/cmdline").read_text())

    assert int(tried(attack, own_namespaces)) > 0
    assert tried(attack, own_namespaces, namespaces.mask) == "0"


def test_the_count_of_namespaces_alone() -> None:
    def attack() -> None:
        linux.unshare(linux.CLONE_NEWUSER)

    def forbidden() -> None:
        namespaces.forbid(LIMITS)

    assert tried(attack, own_namespaces, folders) == "None"
    assert tried(attack, own_namespaces, folders, forbidden) == "ENOSPC"


@pytest.mark.skipif(
    linux.syscall(444, None, 0, 1) < 2, reason="this kernel has no Landlock, or an old one"
)
def test_landlock_alone(tmp_path: Path) -> None:
    (inside := tmp_path / "inside").mkdir()

    def attack() -> int:
        return (tmp_path / "f").write_text("x")

    def honest() -> int:
        return (inside / "f").write_text("x")

    def walls() -> None:
        landlock.write_only_beneath([str(inside)])

    assert (tried(attack), tried(attack, walls), tried(honest, walls)) == ("1", "EACCES", "1")


def limited() -> None:
    runner.limit_oneself(LIMITS)


def opened() -> int:
    return len([os.dup(0) for _ in range(LIMITS.open_files + 1)])


def test_limits_of_a_process_alone_hold_memory() -> None:
    def attack() -> int:
        return len(mmap.mmap(-1, 2 * LIMITS.memory_bytes, flags=mmap.MAP_PRIVATE | 0x20)) // MIB

    assert (tried(attack), tried(attack, limited)) == ("1024", "ENOMEM")


def test_limits_of_a_process_alone_hold_files(tmp_path: Path) -> None:
    def attack() -> None:
        with open(tmp_path / "f", "wb") as file:
            for _ in range(LIMITS.file_bytes // MIB + 1):
                file.write(bytes(MIB))

    assert (tried(attack), tried(attack, limited)) == ("None", "EFBIG")
    more = LIMITS.open_files + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]

    def allowed() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, more)

    assert tried(opened, allowed) == str(LIMITS.open_files + 1)
    assert tried(opened, allowed, limited) == "EMFILE"


def test_limits_of_a_process_alone_let_nobody_come_before_others(monkeypatch) -> None:
    """As a desktop lets a person's programs do; a test may not let itself do so first."""
    limits: dict[int, tuple[int, int]] = {}
    monkeypatch.setattr(os, "nice", lambda _: 0)
    monkeypatch.setattr(runner, "set_limit", lambda kind, *both: limits.update({kind: both}))
    runner.limit_oneself(LIMITS)
    assert limits[resource.RLIMIT_RTPRIO] == limits[resource.RLIMIT_NICE] == (0, 0)
    assert limits[resource.RLIMIT_MEMLOCK] == (64 * KIB, 64 * KIB)


def test_niceness_alone_lets_the_service_come_first() -> None:
    def attack() -> int:
        return os.getpriority(os.PRIO_PROCESS, 0)

    assert int(tried(attack, limited)) == min(19, int(tried(attack)) + LIMITS.niceness)


def test_deafness_alone_keeps_process_1() -> None:
    def attack() -> str:
        """Process 1's, whose child sends it whatever there is."""
        if (child := os.fork()) == 0:
            for number in range(1, signal.NSIG):
                os.kill(1, number)
            os._exit(0)
        os.waitpid(child, 0)
        return "still here"

    assert tried(attack, own_namespaces) != "still here"
    assert tried(attack, own_namespaces, init.hear_nothing) == "still here"


def test_bubblewrap_alone_hides_files_and_lets_none_be_written(tmp_path: Path) -> None:
    (tmp_path / "secret").touch()
    attacks = f"cat {tmp_path}/secret /etc/shadow; true >/usr/x; true >/fuselab/x; ls -d /home; env"
    namespace = bubblewrap.root_namespace()
    walls = bubblewrap.arguments(namespace=namespace)
    files = [] if namespace is None else [namespace]
    environment = bubblewrap.environment()
    done = subprocess.run(
        [*walls, "sh", "-c", attacks],
        capture_output=True,
        text=True,
        pass_fds=files,
        env=environment,
        check=False,
    )
    for file in files:
        os.close(file)
    refused = done.stderr.splitlines()
    assert len(refused) == 5, refused
    assert {line.partition("=")[0] for line in done.stdout.splitlines()} <= {
        *environment,
        *("PWD", "OLDPWD", "SHLVL", "_"),
    }


SLEEPERS = "import os, time\nfor _ in range(3):\n    if os.fork() == 0: {held}time.sleep(60)\n"
STAYS = "time.sleep(60)"


def test_the_watch_alone_ends_processes_that_hold_too_much_together(
    unconfined: ForkServer,
) -> None:
    source = SLEEPERS.format(held="held = bytearray(b'x') * (48 << 20); ") + STAYS
    limits = changed(memory_bytes=96 * MIB)
    assert perform(unconfined, source, limits=limits).stage == "memory"


def test_the_watch_alone_ends_too_many_processes(unconfined: ForkServer) -> None:
    source = SLEEPERS.format(held="") + STAYS
    assert perform(unconfined, source, limits=changed(processes=2)).stage == "processes"


def test_the_watch_alone_leaves_no_process(unconfined: ForkServer) -> None:
    source = "import os\nif (child := os.fork()) == 0: os.setsid(); import time; time.sleep(60)\n"
    (child,) = perform(unconfined, source + "say(child)").said
    assert not Path("/proc", child).exists()


def test_the_deadline_alone(unconfined: ForkServer) -> None:
    began = time.thread_time()
    outcome = perform(unconfined, "while True: pass", limits=changed(deadline_s=0.3))
    assert outcome.stage == "deadline"
    assert time.thread_time() - began < LIMITS.deadline_s
