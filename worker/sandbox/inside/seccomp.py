"""A seccomp filter against system calls that no ML program makes, which reduces the kernel's attack
surface.

It is a second layer behind namespaces and allows most calls. `memfd_create` is refused because its
memory is counted for no process.
"""

import ctypes
import platform
import struct

from worker.sandbox.inside import linux

# The audit architecture, and the number of each call there.
_ARCHITECTURES = {
    "x86_64": 0xC000_003E,
    "aarch64": 0xC000_00B7,
}
_NUMBERS = {
    "x86_64": {
        "ptrace": 101,
        "syslog": 103,
        "modify_ldt": 154,
        "pivot_root": 155,
        "chroot": 161,
        "mount": 165,
        "umount2": 166,
        "swapon": 167,
        "swapoff": 168,
        "reboot": 169,
        "init_module": 175,
        "delete_module": 176,
        "quotactl": 179,
        "kexec_load": 246,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        "migrate_pages": 256,
        "unshare": 272,
        "perf_event_open": 298,
        "name_to_handle_at": 303,
        "open_by_handle_at": 304,
        "setns": 308,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "kcmp": 312,
        "finit_module": 313,
        "memfd_create": 319,
        "kexec_file_load": 320,
        "bpf": 321,
        "userfaultfd": 323,
    },
    "aarch64": {
        "umount2": 39,
        "mount": 40,
        "pivot_root": 41,
        "chroot": 51,
        "quotactl": 60,
        "unshare": 97,
        "kexec_load": 104,
        "init_module": 105,
        "delete_module": 106,
        "syslog": 116,
        "ptrace": 117,
        "reboot": 142,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "swapon": 224,
        "swapoff": 225,
        "migrate_pages": 238,
        "perf_event_open": 241,
        "name_to_handle_at": 264,
        "open_by_handle_at": 265,
        "setns": 268,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "kcmp": 272,
        "finit_module": 273,
        "memfd_create": 279,
        "bpf": 280,
        "userfaultfd": 282,
        "kexec_file_load": 294,
    },
}
# Newer calls have one number everywhere: io_uring, the mount API, pidfd_getfd, memfd_secret.
_EVERYWHERE = (*range(425, 434), 438, 442, 447)

_LOAD, _EQUALS, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE = 0, 4
_ALLOW, _REFUSE, _KILL = 0x7FFF_0000, 0x0005_0001, 0x8000_0000  # refuse: EPERM
# Numbers from here on are x32's, a second table of the same calls.
_X32 = 0x4000_0000

_PR_SET_SECCOMP, _FILTER_MODE = 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def refuse_calls() -> None:
    """Installs the filter for this process and its descendants; on an architecture without a table
    of call numbers, nothing."""
    machine = platform.machine()
    if machine not in _NUMBERS:
        return
    numbers = sorted({*_NUMBERS[machine].values(), *_EVERYWHERE})
    code = program(_ARCHITECTURES[machine], numbers)
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    filtering = _Program(len(code) // 8, code)
    linux.prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(filtering))


def program(architecture: int, numbers: list[int]) -> bytes:
    """The filter as classic BPF instructions. Jumps are relative, in instructions."""
    tests = len(numbers)
    return b"".join(
        (
            _instruction(_LOAD, _OFFSET_ARCHITECTURE),
            _instruction(_EQUALS, architecture, then=1),
            _instruction(_RETURN, _KILL),
            _instruction(_LOAD, _OFFSET_NUMBER),
            _instruction(_AT_LEAST, _X32, then=tests + 1),
            *(_instruction(_EQUALS, number, then=tests - i) for i, number in enumerate(numbers)),
            _instruction(_RETURN, _ALLOW),
            _instruction(_RETURN, _REFUSE),
        )
    )


def _instruction(code: int, value: int, then: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, 0, value)
