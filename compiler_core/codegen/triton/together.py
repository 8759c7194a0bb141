"""Disassembling several kernels at a time.

nvdisasm takes 0.3 s of the processor to start, some ten times what it needs for a kernel and what
ptxas takes for one, and it accepts a single file. So kernels are assembled once more, as one text.
Since ptxas mixes up the line tables of several kernels, a kernel's part of the disassembly is used
only where its machine code equals, byte for byte, that of the kernel assembled by itself; any other
kernel is disassembled alone.
"""

import re
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial

from compiler_core.codegen.triton.assemblers import Assembly, disassembled, ptxas
from compiler_core.errors import ToolchainError

# A PTX text and its cubin, whose function is called ENTRY.
Kernel = tuple[Assembly, bytes]
ENTRY = "kernel_0_entry"
# The file name in the line tables.
FILE = "kernel.py"

_DEBUG = re.compile(r"^\s*\.section\s+\"?\.debug", re.MULTILINE)
_HEAD = re.compile(r"^\.(version|target|address_size)\b.*\n", re.MULTILINE)
# Declarations of memory, as the vendor's functions have.
_SHARED = re.compile(r"^\.(extern|global)\b.*\n", re.MULTILINE)
_FILE = re.compile(r"^\s*\.file\s+(\d+)\s.*\n", re.MULTILINE)
_LOC = re.compile(r"^(\s*\.loc\s+)(\d+)\b", re.MULTILINE)
_PART = re.compile(r"^\s*\.section\s+\.text\.(\w+)", re.MULTILINE)
_LABEL = re.compile(r"\.L_x_(\d+)")
_CODE = ".text."
# The kernels' own file, and any other.
_OWN, _OTHER = 1, 2


@lru_cache(maxsize=16)
def sass(kernels: tuple[Kernel, ...]) -> tuple[str, ...]:
    """The machine code of each kernel as SASS, with line numbers. Raises ToolchainError."""
    found: dict[bytes, str] = {}
    ways = {(assembly.arch, assembly.fused) for assembly, _ in kernels}
    for way in ways:
        same = dict.fromkeys(k for k in kernels if (k[0].arch, k[0].fused) == way)
        # What cannot be assembled together is disassembled alone.
        with suppress(ToolchainError):
            found |= _together([*same], *way) if len(same) > 1 else {}
    return tuple(found.get(binary) or disassembled(binary) for _, binary in kernels)


def _together(kernels: Sequence[Kernel], arch: int, fused: bool) -> dict[bytes, str]:
    """By cubin, the SASS of those that are the same when they are assembled together."""
    names = [f"kernel_{number}_entry" for number in range(len(kernels))]
    pairs = [(name, *kernel) for name, kernel in zip(names, kernels, strict=True)]
    text = _one_text([a.ptx.replace(ENTRY, name) for name, a, _ in pairs])
    whole, *_ = ptxas(Assembly(text, arch, fused))
    code, shown = machine_code(whole), dict(_parts(disassembled(whole)))
    return {
        binary: _by_itself(shown[name], name)
        for name, _, binary in pairs
        if name in shown and code.get(name) == machine_code(binary).get(ENTRY)
    }


def _one_text(given: Sequence[str]) -> str:
    """PTX of several kernels as one: what all of them declare once, and lines of FILE."""
    heads, shared, texts = [""], dict[str, None](), []
    for text in given:
        own = re.search(rf'\.file\s+(\d+) .*"{re.escape(FILE)}"', text)
        plain = _DEBUG.split(text, maxsplit=1)[0]
        heads = [m[0] for m in _HEAD.finditer(plain)]
        shared |= dict.fromkeys(m[0] for m in _SHARED.finditer(plain))
        for dropped in (_HEAD, _SHARED, _FILE):
            plain = dropped.sub("", plain)
        texts.append(_LOC.sub(partial(_numbered, own=own and own[1]), plain))
    files = f'.file {_OWN} "{FILE}"\n.file {_OTHER} "other"\n'
    return "".join((*heads, *shared, *texts, files))


def _numbered(match: re.Match[str], own: str | None) -> str:
    return f"{match[1]}{_OWN if match[2] == own else _OTHER}"


def _by_itself(text: str, name: str) -> str:
    """A function's part with the names that it has where nothing stands beside it."""
    found = sorted({int(label) for label in _LABEL.findall(text)})
    numbers = {old: new for new, old in enumerate(found)}
    return _LABEL.sub(lambda m: f".L_x_{numbers[int(m[1])]}", text).replace(name, ENTRY)


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """What is shown of each function, by its name."""
    begins = [*_PART.finditer(text)]
    ends = [*(m.start() for m in begins[1:]), len(text)]
    for begin, end in zip(begins, ends, strict=True):
        yield begin[1], text[begin.start() : end]


def machine_code(cubin: bytes) -> dict[str, bytes]:
    """The bytes of each function of a cubin, a 64-bit ELF file, by its name."""
    *_, sections, _, _, _, _, size, count, names = struct.unpack_from("<16sHHIQQQIHHHHHH", cubin)
    headers = [struct.unpack_from("<IIQQQQ", cubin, sections + size * i) for i in range(count)]
    begin = headers[names][4]
    found = {}
    for name, _, _, _, offset, length in headers:
        at = begin + name
        text = cubin[at : cubin.index(0, at)].decode()
        if text.startswith(_CODE):
            found[text.removeprefix(_CODE)] = cubin[offset : offset + length]
    return found
