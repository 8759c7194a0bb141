"""What an exported program is deployed as: the .pt2 file, and the C++ of AOTInductor."""

import base64
import io
import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from compiler_core import report
from compiler_core.errors import sentence_of
from compiler_core.reference.elapsed import ms_since
from compiler_core.reference.export.private import frames_of_the_snippet
from compiler_core.reference.inductor import ahead
from compiler_core.reference.inductor.stages import Naming, ids_by_name
from compiler_core.reference.result import artifact
from compiler_core.reference.source_lines import SourceLines
from compiler_core.snippet.output import unlogged
from compiler_core.wording import counted

# The largest file that is kept with the report: the texts of a run share 16 MiB.
_LARGEST_FILE = 2 * 2**20


def saved(exported: Any, name: str) -> report.Stage:
    """The stage that saves the program as a .pt2 file and reads it back; the file can be downloaded
    unless it is too large."""
    begin, file = time.perf_counter(), io.BytesIO()
    torch.export.save(exported, file)
    file.seek(0)
    again = torch.export.load(file)
    same = str(again.graph) == str(exported.graph)
    content = file.getvalue()
    summary = f"{len(content):,} bytes as a .pt2, {'' if same else 'not '}the same when read"
    if len(content) > _LARGEST_FILE:
        summary += "; too large to be kept here: torch.export.save writes it"
        return report.Stage("saved", "ok", ms_since(begin), summary=summary)
    text = base64.b64encode(content).decode()
    kept = report.Artifact(f"{name}.pt2", "pt2", "base64", text)
    return report.Stage("saved", "ok", ms_since(begin), [kept], summary=summary)


def ahead_of_time(exported: Any, lines: SourceLines, device: str) -> report.Stage:
    """The C++ that AOTInductor writes for the program, each line with its operations."""
    name, begin = "AOTInductor", time.perf_counter()
    if device != "cpu":
        why = "shown for programs on a CPU; torch._inductor.aoti_compile_and_package writes it"
        return report.Stage(name, "skipped", 0.0, summary=why)
    try:
        with unlogged(), frames_of_the_snippet():
            written = ahead.written(exported)
    except Exception as error:
        return report.Stage(name, "failed", ms_since(begin), summary=sentence_of(error))
    ids = ids_by_name(Naming(lines), written.lowered)
    texts = [
        artifact(file, "c", text, [_nodes(names, ids) for names in ahead.names_of(text)])
        for file, text in (("kernels.cpp", written.kernels), ("wrapper.cpp", written.wrapper))
    ]
    summary = f"{counted(len(written.lowered.kernels), 'kernel')}, to be compiled ahead of any call"
    return report.Stage(name, "ok", ms_since(begin), texts, summary=summary)


def _nodes(names: Sequence[str], ids: Mapping[str, list[int]]) -> list[int]:
    return sorted({node for name in names for node in ids.get(name, ())})
