"""torch.export opened up: by running the Python code (non-strict), by reading its bytecode
(strict), decomposed, and saved."""

import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

from compiler_core import report
from compiler_core.measure.runnable import device_of
from compiler_core.reference.elapsed import ms_since
from compiler_core.reference.export import deployed, tables
from compiler_core.reference.export.call import Call, call_of
from compiler_core.reference.export.private import frames_of_the_snippet
from compiler_core.reference.export.refused import refused
from compiler_core.reference.fx_text import lines_of
from compiler_core.reference.origins import ids_of
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.snippet.output import unlogged
from compiler_core.wording import counted

_NOT_STRICT, _STRICT = "non-strict", "strict"


def look(subject: Subject) -> Look:
    """The stages of the exported program in its forms, or why there is none."""
    if subject.framework != "torch":
        return "torch.export takes PyTorch programs; of a JAX program see StableHLO"
    return _look(subject, call_of(subject.program), SourceLines(subject.captured.nodes))


def _look(subject: Subject, call: Call, lines: SourceLines) -> Iterator[Item]:
    plain = yield from _exported(_NOT_STRICT, lambda: call.export(strict=False), lines, None)
    strict = yield from _exported(_STRICT, lambda: call.export(strict=True), lines, plain)
    found = plain or strict
    if found is not None:
        yield from _exported("core ATen", found.run_decompositions, lines, found)
        yield deployed.saved(found, subject.program.name)
        yield deployed.ahead_of_time(found, lines, device_of(subject.captured))


def _exported(
    name: str, make: Callable[[], Any], lines: SourceLines, before: Any | None
) -> Generator[Item, None, Any]:
    """A stage of one form of the program, with what it was before; returns the program, None where
    torch refuses."""
    begin = time.perf_counter()
    try:
        with unlogged(), frames_of_the_snippet():
            exported = make()
    except Exception as error:
        why = refused(error)
        yield report.Stage(name, "failed", ms_since(begin), summary=why.why)
        what = f"torch.export ({name}) cannot take the program"
        yield report.Finding(
            "not compiled", "export", what, why.why, why.remedy, why.line, raw=why.raw
        )
        return None
    ms = ms_since(begin)
    after = _artifact("after", exported, lines)
    texts = [after] if before is None else [_artifact("before", before, lines), after]
    changed = len(texts) == 1 or texts[0].text != after.text
    summary = counted(sum(1 for n in exported.graph.nodes if n.op == "call_function"), "operation")
    shown = [t for t in (tables.signature(exported), tables.ranges(exported)) if t is not None]
    yield report.Stage(
        name, "ok", ms, texts if changed else [], changed=changed, summary=summary, tables=shown
    )
    return exported


def _artifact(name: str, exported: Any, lines: SourceLines) -> report.Artifact:
    found = lines_of(exported.graph_module)
    nodes = [ids_of(lines, [at] if at else []) for _, at in found]
    text = "".join(f"{line}\n" for line, _ in found)
    return report.Artifact(name, "export", "aten", text, nodes)
