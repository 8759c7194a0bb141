"""torch.export opened up: by running the Python code (non-strict), by reading its bytecode
(strict), decomposed, and saved."""

import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core import report
from compiler_core.measure.runnable import device_of
from compiler_core.reference.elapsed import ms_since
from compiler_core.reference.export import deployed, sizes, tables
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


@dataclass(frozen=True)
class Shown:
    """How exported programs are shown: with the snippet's lines, and the names that its `sizes`
    have on the page, so that two of them differ in what differs."""

    lines: SourceLines
    sizes: Sequence[Sequence[str]]

    def names(self, exported: Any) -> dict[str, str]:
        """Of torch's symbols."""
        return sizes.names_of(exported, self.sizes)

    def text(self, name: str, exported: Any) -> report.Artifact:
        """The graph."""
        found = lines_of(exported.graph_module)
        nodes = [ids_of(self.lines, [at] if at else []) for _, at in found]
        text = "".join(f"{line}\n" for line, _ in found)
        return report.Artifact(
            name, "export", "aten", sizes.renamed(text, self.names(exported)), nodes
        )


def look(subject: Subject) -> Look:
    """The stages of the exported program in its forms, or why there is none."""
    if subject.framework != "torch":
        return "torch.export takes PyTorch programs; of a JAX program see StableHLO"
    return _look(subject, call_of(subject.program), SourceLines(subject.captured.nodes))


def _look(subject: Subject, call: Call, lines: SourceLines) -> Iterator[Item]:
    shown = Shown(lines, subject.program.sizes)
    plain = yield from _exported(_NOT_STRICT, lambda: call.export(strict=False), shown, None)
    strict = yield from _exported(_STRICT, lambda: call.export(strict=True), shown, plain)
    found = plain or strict
    if found is not None:
        yield from _exported("core ATen", found.run_decompositions, shown, found)
        yield deployed.saved(found, subject.program.name)
        yield deployed.ahead_of_time(found, lines, device_of(subject.captured))


def _exported(
    name: str, make: Callable[[], Any], form: Shown, before: Any | None
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
    after = form.text("after", exported)
    texts = [after] if before is None else [form.text("before", before), after]
    changed = len(texts) == 1 or texts[0].text != after.text
    summary = counted(sum(1 for n in exported.graph.nodes if n.op == "call_function"), "operation")
    ranges = tables.ranges(exported, form.names(exported))
    shown = [t for t in (tables.signature(exported), ranges) if t is not None]
    yield report.Stage(
        name, "ok", ms, texts if changed else [], changed=changed, summary=summary, tables=shown
    )
    return exported
