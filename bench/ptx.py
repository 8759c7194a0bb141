"""What PTX says of a kernel's quality without a GPU: how wide its accesses to global memory are,
whether its loops divide integers, and by which instructions matrices are multiplied.

The text is counted as it stands: an access in a loop is one, as one outside of it is. Names of
instructions are those of NVIDIA's PTX ISA.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Bytes of the widest access that every target has.
WIDEST = 16
_ACCESS = re.compile(r"\b(ld|st)\.global(?:\.\w+|::\w+)*?(?:\.v(\d))?\.[bfsu](\d+)\b")
_COPY = re.compile(r"\bcp\.async\.c[ag]\.shared\.global(?:\.\w+|::\w+)* \[.*?\], \[.*?\], (\w+)")
_MATRIX = re.compile(r"\b(wgmma\.mma_async|tcgen05\.mma|mma)\b")
_DIVISION = re.compile(r"\b(?:div|rem)\.[su](?:16|32|64)\b")
_LABEL = re.compile(r"^\s*(\$\w+):")
_BRANCH = re.compile(r"\bbra(?:\.\w+)*\s+(\$\w+);")


@dataclass(frozen=True)
class Ptx:
    """`accesses`: how many there are to global memory, by their bytes. `divisions`: of integers,
    within loops. `matrix`: the instructions that multiply matrices, each once."""

    accesses: dict[int, int]
    divisions: int
    matrix: tuple[str, ...]

    @property
    def wide(self) -> float | None:
        """The share of accesses that are of 16 bytes; None of a kernel that has none."""
        total = sum(self.accesses.values())
        return sum(n for b, n in self.accesses.items() if b >= WIDEST) / total if total else None


def read(text: str) -> Ptx:
    """One kernel's."""
    lines = text.splitlines()
    within = {at for first, last in _loops(lines) for at in range(first, last)}
    divisions = sum(bool(_DIVISION.search(lines[at])) for at in within)
    matrix = dict.fromkeys(found[1] for line in lines for found in _MATRIX.finditer(line))
    return Ptx(dict(Counter(_accesses(lines))), divisions, tuple(matrix))


def _accesses(lines: Sequence[str]) -> Iterator[int]:
    """The bytes of each access to global memory."""
    for line in lines:
        for found in _ACCESS.finditer(line):
            yield int(found[2] or 1) * int(found[3]) // 8
        yield from (int(found[1], 0) for found in _COPY.finditer(line))


def _loops(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """From a label to a branch back to it, as indices of lines."""
    labels = {found[1]: at for at, line in enumerate(lines) if (found := _LABEL.match(line))}
    for at, line in enumerate(lines):
        for found in _BRANCH.finditer(line):
            if labels.get(found[1], at) < at:
                yield labels[found[1]], at
