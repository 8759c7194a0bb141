"""A seccomp filter that allows the system calls that programs of machine learning and their
compilers make, and no others: a second wall behind the namespaces.

Which calls these are, and on which arguments some depend, is in scripts/seccomp_filters.py, which
writes the filters that lie beside this module.
"""

import ctypes
import errno
import platform
from pathlib import Path

from worker.sandbox.inside import linux

FILTERS = Path(__file__).parent / "filters"
_PR_SET_SECCOMP, _FILTER_MODE = 22, 2
_INSTRUCTION_BYTES = 8


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def allow_known_calls() -> None:
    """Installs the filter for this process and its descendants, for good. Raises OSError on a
    machine for which there is none."""
    machine = platform.machine()
    try:
        code = (FILTERS / f"{machine}.bpf").read_bytes()
    except FileNotFoundError:
        raise OSError(errno.ENOSYS, f"there is no seccomp filter for {machine}") from None
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    filtering = _Program(len(code) // _INSTRUCTION_BYTES, code)
    linux.prctl(_PR_SET_SECCOMP, _FILTER_MODE, ctypes.addressof(filtering))
