"""torch.export opened up: by running the Python code (non-strict), by reading its bytecode
(strict), decomposed, and saved."""

import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core import report
from compiler_core.measure.runnable import device_of
from compiler_core.reference.elapsed import ms_since
from compiler_core.reference.export import deployed, sizes, tables
from compiler_core.reference.export.call import Call, call_of
from compiler_core.reference.export.private import frames_of_the_snippet
from compiler_core.reference.export.refused import Refused, refused
from compiler_core.reference.fx_text import lines_of
from compiler_core.reference.origins import ids_of
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.snippet.output import unlogged
from compiler_core.snippet.program import FoundProgram
from compiler_core.wording import counted

_NOT_STRICT, _STRICT = "non-strict", "strict"


@dataclass(frozen=True)
class Shown:
    """How exported programs are shown: with the snippet's lines, and with the page's names for
    sizes instead of torch's symbols, so that two texts differ only where the programs do."""

    lines: SourceLines
    sizes: Sequence[Sequence[str]]

    def names(self, exported: Any) -> dict[str, str]:
        """The name of each of torch's symbols in the program."""
        return sizes.names_of(exported, self.sizes)

    def text(self, name: str, exported: Any) -> report.Artifact:
        """The program's graph as text with its line map."""
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
    yield from _findings({_NOT_STRICT: plain, _STRICT: strict}, subject.program)
    found = next((each for each in (plain, strict) if not isinstance(each, Refused)), None)
    if found is not None:
        core = yield from _exported("core ATen", found.run_decompositions, shown, found)
        yield from _findings({"core ATen": core}, subject.program)
        yield deployed.saved(found, subject.program.name)
        yield deployed.ahead_of_time(found, lines, device_of(subject.captured))


def _exported(
    name: str, make: Callable[[], Any], form: Shown, before: Any
) -> Generator[Item, None, Any]:
    """A stage of one form of the program, with what it was before, unless that is None or was
    refused; returns the program, or Refused."""
    begin = time.perf_counter()
    try:
        with unlogged(), frames_of_the_snippet():
            exported = make()
    except Exception as error:
        why = refused(error)
        yield report.Stage(name, "failed", ms_since(begin), summary=why.why)
        return why
    ms = ms_since(begin)
    after = form.text("after", exported)
    is_first = before is None or isinstance(before, Refused)
    texts = [after] if is_first else [form.text("before", before), after]
    changed = len(texts) == 1 or texts[0].text != after.text
    summary = counted(sum(1 for n in exported.graph.nodes if n.op == "call_function"), "operation")
    ranges = tables.ranges(exported, form.names(exported))
    shown = [t for t in (tables.signature(exported), ranges) if t is not None]
    yield report.Stage(
        name, "ok", ms, texts if changed else [], changed=changed, summary=summary, tables=shown
    )
    return exported


def _findings(made: Mapping[str, Any], program: FoundProgram) -> Iterator[report.Finding]:
    """An entry for each reason why forms of the program were refused, of those by name. Where torch
    names no line, it is that of the snippet's call."""
    by_why: dict[str, list[tuple[str, Refused]]] = defaultdict(list)
    for name, each in made.items():
        if isinstance(each, Refused):
            by_why[each.why].append((name, each))
    for refusals in by_why.values():
        names, (_, why) = [name for name, _ in refusals], max(refusals, key=_has_line)
        how = f" ({names[0]})" if len(names) < len(made) or len(made) == 1 else ""
        what = f"torch.export{how} cannot take the program"
        line = why.line or program.called or program.line
        yield report.Finding("not compiled", "export", what, why.why, why.remedy, line, raw=why.raw)


def _has_line(refusal: tuple[str, Refused]) -> bool:
    return refusal[1].line is not None
