"""The code of each kernel: LLVM IR before and after LLVM's passes, and the machine code."""

import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from compiler_core import report
from compiler_core.reference.result import artifact
from compiler_core.reference.xla.places import ModulePlaces
from compiler_core.reference.xla.thunks import Thunk
from compiler_core.wording import counted

_BEFORE, _AFTER, _OBJECT = ".ir-no-opt.ll", ".ir-with-opt.ll", "obj-file."
_DEFINED = re.compile(r"^define (?!private|internal)[^@]*@\"?([\w.\-]+)\"?\(")
_LABEL = re.compile(r"^[0-9a-f]+ <([\w.\-]+)>:$")
_FILE = re.compile(r"^(\S+):\s+file format ")
_INTEL = frozenset(("x86_64", "AMD64"))
# The most seconds for disassembling, which must not hold up what follows.
_LONGEST = 10

# XLA puts the code of kernels into a section of its own.
_COMMAND = ("objdump", "--disassemble", "--no-show-raw-insn", "--section=.ltext", "--section=.text")
_NO_OBJDUMP = "no assembly: install binutils, whose objdump takes machine code apart"
PARENT = "kernels"


def stages(
    files: Mapping[str, bytes], thunks: list[Thunk], places: ModulePlaces
) -> Iterator[report.Stage]:
    """A stage for each kernel, below one for all of them."""
    modules = [name.removesuffix(_BEFORE) for name in files if name.endswith(_BEFORE)]
    assembly, missing = disassembled(files)
    summary = ", ".join(filter(None, (counted(len(modules), "LLVM module"), missing)))
    yield report.Stage(PARENT, "ok", 0.0, summary=summary)
    for module in sorted(modules):
        yield _stage(module, files, assembly.get(module, ""), thunks, places)


def _stage(
    module: str,
    files: Mapping[str, bytes],
    assembly: str,
    thunks: list[Thunk],
    places: ModulePlaces,
) -> report.Stage:
    before, after = (
        files.get(module + end, b"").decode(errors="replace") for end in (_BEFORE, _AFTER)
    )
    names = [m[1] for line in before.splitlines() if (m := _DEFINED.match(line))]
    ids = {name: _ids(name, thunks, places) for name in names}
    texts = [
        _mapped("before", "llvm", before, ids),
        _mapped("after", "llvm", after, ids),
        _mapped("assembly", "text", assembly, ids),
    ]
    texts = [each for each in texts if each.text]
    return report.Stage(_title(module), "ok", 0.0, texts, summary=", ".join(names), parent=PARENT)


def _title(module: str) -> str:
    return module.removesuffix("_kernel_module").removeprefix("__compute_module_")


def _ids(kernel: str, thunks: list[Thunk], places: ModulePlaces) -> list[int]:
    """Of all instructions that run the kernel; its own name is that of one of them."""
    names = {t.instruction for t in thunks if t.kernel == kernel} or {kernel}
    found = [i for name in names if (i := places.module.named(name))]
    return sorted({n for each in found for n in places.all_ids(each)})


def _mapped(
    name: str, language: report.Language, text: str, ids: Mapping[str, list[int]]
) -> report.Artifact:
    """LLVM IR knows no places: where a kernel begins leads to all that is in it."""
    nodes = [_at(line, ids) for line in text.splitlines()]
    return artifact(name, language, text, nodes, kind="llir", kernel=next(iter(ids), None))


def _at(line: str, ids: Mapping[str, list[int]]) -> list[int]:
    named = _DEFINED.match(line) or _LABEL.match(line)
    return ids.get(named[1], []) if named else []


def disassembled(files: Mapping[str, bytes]) -> tuple[dict[str, str], str]:
    """The assembly of each module's object file; and the reason if there is none, else ""."""
    objects = {n: data for n, data in files.items() if n.startswith(_OBJECT)}
    if not objects:
        return {}, "no assembly: XLA has written no machine code"
    if shutil.which(_COMMAND[0]) is None:
        return {}, _NO_OBJDUMP
    with tempfile.TemporaryDirectory(prefix="fuselab-objects-") as folder:
        for name, data in objects.items():
            Path(folder, name).write_bytes(data)
        try:
            text = _objdump(folder, sorted(objects))
        except (OSError, subprocess.SubprocessError) as error:
            return {}, f"no assembly: objdump failed ({type(error).__name__})"
    return by_module(text), ""


def _objdump(folder: str, names: list[str]) -> str:
    syntax = ("--disassembler-options=intel",) if platform.machine() in _INTEL else ()
    done = subprocess.run(
        (*_COMMAND, *syntax, *names),
        cwd=folder, capture_output=True, text=True, timeout=_LONGEST, check=False,
    )  # fmt: skip
    return done.stdout


def by_module(text: str) -> dict[str, str]:
    """objdump's text of several files, split by module."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if head := _FILE.match(line):
            module = head[1].removeprefix(_OBJECT).removesuffix(".o")
            lines = found.setdefault(module, [])
        elif line and not line.startswith("Disassembly of section"):
            lines.append(line)
    return {module: "".join(f"{line}\n" for line in own) for module, own in found.items()}
