"""IREE's phases in order: the module before and after each, and what took how long."""

import re
from collections.abc import Iterator, Mapping

from compiler_core import report
from compiler_core.reference.iree import mlir
from compiler_core.wording import counted

PARENT = "phases"
# IREE's names of its phases, and their purposes.
_ABOUT = {
    "input": "StableHLO becomes linalg on tensors, and arith and math on their elements",
    "abi": "the function takes and gives views of buffers",
    "preprocessing": "what a user adds before anything else; nothing by default",
    "global-optimization": "transposes, constants and layouts across the whole program",
    "dispatch-creation": "operations are fused into regions, each of which becomes one dispatch",
    "flow": "each region becomes an executable of its own; equal ones become one",
    "stream": "dispatches are put in order, buffers are allocated and reused",
    "executable-sources": "the executables for each target, before code is made",
    "executable-configurations": "tile sizes and vectors are chosen for each executable",
    "executable-targets": "the executables as LLVM dialect",
    "hal": "calls of the runtime: command buffers, barriers, submissions",
    "vm": "the host's side as instructions of IREE's virtual machine",
}
_FILE = re.compile(r".*\.(\d+)\.([\w-]+)\.mlir")
# Wall time is the last: `    0.4190 (100.0%)    0.3741 (100.0%)  CSEPass`.
_TIMED = re.compile(r".*\s(\d+\.\d+) \(\s*[\d.]+%\)\s+(\S.*)")
_NO_PASS = frozenset(("root", "Total", "Rest"))
_COLUMNS = [
    report.Column("pass"),
    report.Column("time", "ms", "By MLIR's own clock, summed over its runs."),
]
_LONGEST = 40


def texts(files: Mapping[str, str]) -> dict[str, mlir.Text]:
    """The module after each phase, in order, from files with the names that IREE gives such
    texts."""
    found = sorted((int(m[1]), m[2], n) for n in files if (m := _FILE.fullmatch(n)))
    return {phase: mlir.read(files[name]) for _, phase, name in found}


def stages(
    found: Mapping[str, mlir.Text], given: report.Artifact, timing: str
) -> Iterator[report.Stage]:
    """A stage for the whole compilation, with the passes that took longest, and one for each phase
    below it."""
    tables = [table] if (table := _times(timing)) else []
    yield report.Stage(PARENT, "ok", 0.0, summary=counted(len(found), "phase"), tables=tables)
    before = report.Artifact("before", "before", "mlir", given.text, given.nodes)
    for phase, text in found.items():
        after = text.artifact("after")
        summary = _ABOUT.get(phase, "")
        yield report.Stage(phase, "ok", 0.0, [before, after], summary=summary, parent=PARENT)
        before = text.artifact("before")


def _times(timing: str) -> report.Table | None:
    """The passes by what they took; None where nothing of the kind was printed."""
    rows = [(float(m[1]) * 1e3, m[2]) for m in map(_TIMED.fullmatch, timing.splitlines()) if m]
    passes = [(ms, name) for ms, name in rows if "Pipeline" not in name and name not in _NO_PASS]
    kept = sorted(passes, reverse=True)[:_LONGEST]
    about = f"The {len(kept)} passes that took longest, of {len(passes)}."
    return (
        report.Table("passes", _COLUMNS, [report.Row([n, ms]) for ms, n in kept], about)
        if kept
        else None
    )
