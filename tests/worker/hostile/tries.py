"""Many attacks in one run: each is a statement, and what is told of it is the error that it met."""

import json
import os
from collections.abc import Mapping

from compiler_core.snippet.remedies import remedy_of
from tests.worker.conftest import Deed

EPERM, ENOENT, EACCES, EROFS, ENOSYS = 1, 2, 13, 30, 38

_TRY = """
import ctypes, fcntl, json, mmap, os, resource, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def met(attack):
    try: exec(attack, globals())
    except OSError as refused: return refused.errno
    return 0
"""


def errors(deed: Deed, attacks: Mapping[str, str]) -> dict[str, int]:
    """The number of the error that each attack met; 0 of one that went through."""
    outcome = deed(f"{_TRY}say(json.dumps({{n: met(a) for n, a in {dict(attacks)!r}.items()}}))")
    assert outcome.message == ""
    found: dict[str, int] = json.loads(outcome.said[0])
    untold = {name: number for name, number in found.items() if number and not is_told(number)}
    assert not untold, f"who writes these is not told what to do: {untold}"
    return found


def is_told(number: int) -> bool:
    """Whether somebody whose snippet meets this error is told what it comes of, and what to do:
    as the core tells it of an exception that a snippet raises."""
    return bool(remedy_of(OSError(number, os.strerror(number))))


def all_of(attacks: Mapping[str, str], errno: int) -> dict[str, int]:
    """What comes of attacks that all meet this error."""
    return dict.fromkeys(attacks, errno)
