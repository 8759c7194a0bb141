"""Landlock: a third wall, where the kernel has it. What may be written is what lies beneath a few
folders, whatever the mounts say: above all nothing in /proc."""

import ctypes
import os
from collections.abc import Iterable

from worker.sandbox.inside import linux

# The same numbers on every machine.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_WHICH_VERSION = 1
_BENEATH = 1
# linux/landlock.h: to write a file, to remove and to make whatever there may be; from version 2 on
# to move between folders, from version 3 on to cut short. Version 1 allows no such move at all.
_WRITE = 1 << 1
_CHANGE = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_LEAST_VERSION = 2


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def write_only_beneath(folders: Iterable[str]) -> None:
    """From now on this process and its descendants change files beneath `folders` only; nothing
    where the kernel has no Landlock. Raises OSError."""
    version = linux.syscall(_CREATE, None, 0, _WHICH_VERSION)
    if version < _LEAST_VERSION:
        return
    handled = _WRITE | _CHANGE | _REFER | (_TRUNCATE if version > _LEAST_VERSION else 0)
    rules = _Ruleset(handled)
    ruleset = linux.syscall(_CREATE, ctypes.byref(rules), ctypes.sizeof(rules), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "making a Landlock ruleset")
    try:
        for folder in folders:
            _allow(ruleset, folder, handled)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        if linux.syscall(_RESTRICT, ruleset, 0):
            raise OSError(ctypes.get_errno(), "entering Landlock")
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _Beneath(rights, folder)
        if linux.syscall(_ADD, ruleset, _BENEATH, ctypes.byref(rule), 0):
            raise OSError(ctypes.get_errno(), f"allowing {path} by Landlock")
    finally:
        os.close(folder)
