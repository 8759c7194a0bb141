"""The module that TorchInductor writes: generated kernels, and the Python that calls them.

A line of a kernel belongs to the kernel's operations; a line of the wrapper to the buffers and the
kernels that it names.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

# NAME = async_compile.cpp_pybinding([...], r'''   or   NAME = async_compile.triton('NAME', '''
_BEGINS = re.compile(r"(?P<name>\w+) = async_compile\.(?P<kind>\w+)\(.*'''$")
_ENDS = re.compile(r"'''[,)].*")
_NAMES = re.compile(r"\b(?:buf\d+|\w+_fused_\w*|\w+_kernel_\w*)\b")
# A comment with the path of a temporary file on this machine.
_PATH = re.compile(r"^# kernel path: .*\n", re.MULTILINE)


@dataclass(frozen=True)
class Code:
    """The text, and for each of its lines the names of the kernels and buffers that it belongs
    to."""

    text: str
    names: tuple[tuple[str, ...], ...]

    @property
    def kernels(self) -> dict[str, str]:
        """The kind of each kernel by its name: cpp_pybinding, triton."""
        return {m["name"]: m["kind"] for line in self.text.splitlines() if (m := _head(line))}

    def nodes(self, ids: Mapping[str, list[int]]) -> list[list[int]]:
        """The line map, given the operations' ids by the names of kernels and buffers."""
        return [sorted({i for name in line for i in ids.get(name, ())}) for line in self.names]


def parsed(text: str) -> Code:
    """The text of a generated module, without the paths in it."""
    kept = _PATH.sub("", text)
    return Code(kept, tuple(_names(kept)))


def calls(text: str) -> list[str]:
    """The lines of the functions that call the kernels, without their indentation: first of the
    parts that can be replayed as CUDA graphs, then of what calls these."""
    lines = text.splitlines()
    heads = [i for i, line in enumerate(lines) if re.match(r"\s*def (call|partition_\d+)\(", line)]
    return [line for head in heads for line in _body(lines, head)]


def _body(lines: list[str], head: int) -> Iterator[str]:
    indent = len(lines[head]) - len(lines[head].lstrip())
    for line in lines[head + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= indent:
            return
        if line.strip():
            yield line.strip()


def _head(line: str) -> re.Match[str] | None:
    return _BEGINS.match(line)


def _names(text: str) -> Iterator[tuple[str, ...]]:
    inside = ""
    for line in text.splitlines():
        head = _head(line)
        if head is not None:
            inside = head["name"]
        yield (inside,) if inside else tuple(dict.fromkeys(_NAMES.findall(line)))
        if inside and _ENDS.match(line):
            inside = ""
