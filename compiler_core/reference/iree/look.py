"""IREE opened up: StableHLO, the module after every phase, what is one dispatch, the code."""

from collections.abc import Iterator
from pathlib import Path

from compiler_core import report
from compiler_core.extras.session import Session
from compiler_core.reference.another_process import compile_there, figures, start
from compiler_core.reference.iree import dispatches, executables, phases
from compiler_core.reference.iree.given import Given, given
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.units_of_work import decisions

# The most bytes of a dump that are read; the rest is left out.
_MOST_BYTES = 64 * 2**20


def look(subject: Subject) -> Look:
    """The stages of IREE's compilation for this processor, or why there is none."""
    session = start("iree")
    if isinstance(session, str):
        return session
    module = given(subject.captured, subject.framework)
    return module if isinstance(module, str) else _look(subject, session, module)


def _look(subject: Subject, session: Session, module: Given) -> Iterator[Item]:
    summary = f"what {session.title} is given, as XLA is"
    yield report.Stage("stablehlo", "ok", 0.0, list(module.shown), summary=summary)
    try:
        dump = session.folder / "dump"
        compile_there(session, module, dump=str(dump))
        files = {folder: _files(dump / folder) for folder in ("phases", "executables", ".")}
    finally:
        session.close()
    yield from _stages(subject, module, files)


def _files(folder: Path) -> dict[str, str]:
    """The texts of a folder by their names, as far as they may be large."""
    found, left = {}, _MOST_BYTES
    for path in sorted(folder.glob("*.*")):
        if path.suffix in (".mlir", ".ll", ".s", ".txt") and path.stat().st_size <= left:
            left -= path.stat().st_size
            found[path.name] = path.read_text(errors="replace")
    return found


def _stages(subject: Subject, module: Given, files: dict[str, dict[str, str]]) -> Iterator[Item]:
    found = phases.texts(files["phases"])
    yield from phases.stages(found, module.shown[0], files["."].get("timing.txt", ""))
    regions = []
    if "dispatch-creation" in found and "flow" in found:
        regions = dispatches.regions(found["dispatch-creation"], found["flow"])
        yield dispatches.stage(regions, {n.id: n.line for n in subject.captured.nodes})
        yield from decisions("iree", regions, subject.edges)
        yield figures("iree", **dispatches.counts(regions))
    ids = {each.name: [*each.nodes] for each in regions}
    yield from executables.stages(files["executables"], ids)
