"""The code of the dispatches: each one's source, and what it became for the processor."""

import re
from collections.abc import Iterator, Mapping

from compiler_core import report
from compiler_core.reference.iree import mlir
from compiler_core.reference.result import artifact
from compiler_core.wording import counted

PARENT = "executables"
_CONFIGURED = "configured_"
_SOURCE = re.compile(r"(?!configured_)(?P<name>.+_dispatch_\d+)\.mlir")
_TARGET = re.compile(r"_embedded_elf_\w+$")
_BEGINS = re.compile(r"define [^@]*@([\w$.]+)\(|([\w$.]+):")
# The LLVM IR that IREE generates, the IR after LLVM's passes, and the assembly, of everything that
# is linked together.
_CODE: tuple[tuple[str, str, report.Language], ...] = (
    ("before", ".codegen.ll", "llvm"),
    ("after", ".optimized.ll", "llvm"),
    ("assembly", ".s", "text"),
)


def stages(files: Mapping[str, str], ids: Mapping[str, list[int]]) -> Iterator[report.Stage]:
    """A stage for each dispatch's source and one for each file of machine code, under one for all.
    `ids` are the captured operations of each dispatch, by its name."""
    sources = sorted((m["name"] for n in files if (m := _SOURCE.fullmatch(n))), key=_number)
    linked = sorted(n.removesuffix(".s") for n in files if n.endswith(".s"))
    summary = f"{counted(len(sources), 'source')}, {counted(len(linked), 'object file')}"
    yield report.Stage(PARENT, "ok", 0.0, summary=summary)
    for name in sources:
        yield _source(name, files)
    for name in linked:
        yield _code(name, files, ids)


def _number(name: str) -> tuple[int, str]:
    return int(name.rsplit("_", 1)[-1]), name


def _source(name: str, files: Mapping[str, str]) -> report.Stage:
    before = mlir.read(files[f"{name}.mlir"]).artifact("before")
    after = mlir.read(files.get(f"{_CONFIGURED}{name}.mlir", "")).artifact("after")
    texts = [each for each in (before, after) if each.text]
    summary = "the source, and with the tile sizes that were chosen"
    return report.Stage(name, "ok", 0.0, texts, summary=summary, parent=PARENT)


def _code(name: str, files: Mapping[str, str], ids: Mapping[str, list[int]]) -> report.Stage:
    texts = []
    for label, end, language in _CODE:
        if text := files.get(name + end, ""):
            texts.append(artifact(label, language, text, [_at(x, ids) for x in text.splitlines()]))
    summary = "LLVM IR before and after LLVM's passes, and the assembly"
    title = f"code of {_TARGET.sub('', name)}"
    return report.Stage(title, "ok", 0.0, texts, summary=summary, parent=PARENT)


def _at(line: str, ids: Mapping[str, list[int]]) -> list[int]:
    """Where a dispatch begins leads to all that is in it."""
    begins = _BEGINS.match(line)
    return ids.get(begins[1] or begins[2], []) if begins else []
