"""How the wrapper that TorchInductor generates uses memory, read from its text: what it allocates,
reuses for another value, and frees."""

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import torch

from compiler_core.wording import counted

_ALLOCATED = re.compile(r"(\w+) = empty_strided_\w+\(\((.*?)\), \((.*?)\), torch\.(\w+)\)")
_REUSED = re.compile(r"(\w+) = (?:reinterpret_tensor\()?(\w+)\b.*# reuse")
_DELETED = re.compile(r"\bdel (\w+)")


@dataclass(frozen=True)
class Lifetime:
    """The lifetime of a value's buffer, from line `first` to line `last` of the calls; `last` is
    None for a value that is returned. `bytes` is None if a size is symbolic, or the type is
    unknown. `of` is the value whose memory is reused, "" for an allocation."""

    name: str
    type: str
    bytes: int | None
    first: int
    last: int | None = None
    of: str = ""


def lifetimes(lines: Iterable[str]) -> list[Lifetime]:
    """The lifetimes of the values that the calls compute, in order."""
    found: dict[str, Lifetime] = {}
    for at, line in enumerate(lines):
        if allocated := _ALLOCATED.match(line):
            name, shape, _, dtype = allocated.groups()
            found[name] = Lifetime(name, f"{dtype}[{shape.strip(', ')}]", _bytes(shape, dtype), at)
        elif (taken := _REUSED.match(line)) and taken[2] in found:
            old = found[taken[2]]
            found[taken[1]] = replace(old, name=taken[1], first=at, of=old.name)
        for name in _DELETED.findall(line):
            if name in found:
                found[name] = replace(found[name], last=at)
    return list(found.values())


def peak(values: Iterable[Lifetime]) -> int:
    """The largest number of bytes alive at once, without the program's inputs."""
    changes: list[tuple[int, int]] = []
    for value in values:
        changes.append((value.first * 2 + 1, value.bytes or 0))
        if value.last is not None:  # what is reused is let go in the line that takes it over
            changes.append((value.last * 2 + 1, -(value.bytes or 0)))
    now = most = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


def at_once(values: Collection[Lifetime]) -> str:
    """The peak as text, with how many buffers it leaves out since no number is their size."""
    unknown = sum(v.bytes is None and not v.of for v in values)
    rest = f", and {counted(unknown, 'buffer')} whose size is a symbol" if unknown else ""
    return f"at most {peak(values):,} bytes at once beside inputs{rest}"


def _bytes(shape: str, dtype: str) -> int | None:
    sizes = [s.strip() for s in shape.split(",") if s.strip()]
    type_ = getattr(torch, dtype, None)
    if not isinstance(type_, torch.dtype) or not all(s.isdecimal() for s in sizes):
        return None
    return math.prod(map(int, sizes)) * type_.itemsize
