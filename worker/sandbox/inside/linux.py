"""System calls that Python's standard library does not offer before 3.12, by ctypes. Each raises
OSError."""

import ctypes
import os

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x0002_0000, 0x0400_0000, 0x0800_0000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x1000_0000, 0x2000_0000, 0x4000_0000

MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
MS_REC, MS_PRIVATE = 0x4000, 0x4_0000
MS_RDONLY, MS_REMOUNT, MS_BIND = 0x1, 0x20, 0x1000
MNT_DETACH = 0x2

PR_SET_DUMPABLE, PR_CAPBSET_DROP = 4, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38

_CAPABILITY_VERSION_3 = 0x2008_0522
_LAST_CAPABILITY = 40

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, doing: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{doing}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """unshare(2)."""
    _check(_libc.unshare(flags), "entering new namespaces")


def mount(kind: str | None, target: str, flags: int, options: str | None = None) -> None:
    """mount(2) of a file system of type `kind`; None changes the mount at `target`."""
    name, data = (text.encode() if text else None for text in (kind, options))
    result = _libc.mount(name, target.encode(), name, ctypes.c_ulong(flags), data)
    _check(result, f"mounting {kind or 'nothing'} on {target}")


def bind(source: str, target: str) -> None:
    """mount(2) of `source` at `target` as well."""
    flags = ctypes.c_ulong(MS_BIND)
    result = _libc.mount(source.encode(), target.encode(), None, flags, None)
    _check(result, f"binding {source} to {target}")


def syscall(number: int, *arguments: object) -> int:
    """syscall(2), for calls that the C library has no function for; what it returns, with errno in
    ctypes."""
    return int(_libc.syscall(ctypes.c_long(number), *arguments))


def unmount(target: str) -> None:
    """umount2(2), detaching the mount at once."""
    _check(_libc.umount2(target.encode(), MNT_DETACH), f"unmounting {target}")


def prctl(option: int, value: int = 0, address: int = 0) -> None:
    """prctl(2)."""
    zero = ctypes.c_ulong(0)
    result = _libc.prctl(option, ctypes.c_ulong(value), ctypes.c_ulong(address), zero, zero)
    _check(result, f"prctl {option}")


def drop_capabilities() -> None:
    """Gives up every capability for good, including those that an exec could restore."""
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break  # an older kernel knows fewer
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _check(_libc.capset(header, nothing), "dropping capabilities")
    prctl(PR_SET_NO_NEW_PRIVS, 1)
