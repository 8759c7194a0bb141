"""What TensorFlow made of a function before it came here as StableHLO, and its own result held
against the program's in float64."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

from compiler_core import report
from compiler_core.interop import arrays, complex_pairs
from compiler_core.measure import numerics, run
from compiler_core.reference.result import artifact
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import Places, Stack
from compiler_core.reference.xla.texts import shown
from compiler_core.snippet.front import Front
from compiler_core.snippet.stablehlo.read import without_locations
from compiler_core.snippet.tensorflow.places import line_of, names_of

_COLUMNS = [
    report.Column("who", about="TensorFlow's own call, and the same program run by JAX."),
    report.Column("largest error", about="Absolute, against the program in float64."),
    report.Column("relative error"),
    report.Column("within tolerance"),
]


def look(subject: Subject) -> Look:
    """TensorFlow's stages, or why there are none."""
    front = subject.program.front
    if front is None or front.id != "tensorflow":
        return "the snippet is not TensorFlow's: one that imports it comes in by it"
    return _look(subject, front)


@dataclass(frozen=True)
class _Named(Places):
    """Places of instructions by the names of TensorFlow's operations."""

    named: dict[str, int] = field(default_factory=dict)

    def ids(self, op_name: str, stack: Stack) -> list[int]:
        return SourceLines(self.nodes).at(line_of(op_name, self.named))


def _look(subject: Subject, front: Front) -> Iterator[Item]:
    nodes, lines = subject.captured.nodes, dict(front.lines)
    summary = f"TensorFlow {front.version}: what it gives XLA, and what comes in here"
    yield report.Stage("stablehlo", "ok", 0.0, [_stablehlo(front, nodes)], summary=summary)
    places = _Named("jax", nodes, named=lines)
    before, after = (
        shown(name, hlo.parse(front.texts[text]), places)
        for name, text in (("before", "hlo"), ("after", "optimized_hlo"))
    )
    summary = "as TensorFlow's own XLA is given it, and as it leaves it"
    yield report.Stage("hlo", "ok", 0.0, [before, after], summary=summary)
    yield from _result(subject, front)


def _stablehlo(front: Front, nodes: tuple[report.CapturedOp, ...]) -> report.Artifact:
    text, found = front.texts["stablehlo"], SourceLines(nodes)
    lines = zip(without_locations(text).splitlines(), names_of(text), strict=True)
    kept = [(line, found.at(line_of(name, front.lines))) for line, name in lines if line]
    return artifact(
        "stablehlo", "stablehlo", "".join(f"{x}\n" for x, _ in kept), [ids for _, ids in kept]
    )


def _result(subject: Subject, front: Front) -> Iterator[Item]:
    """The errors of TensorFlow's outputs, which are of the snippet's own call."""
    captured = subject.captured
    own = arrays.to_torch_all(captured.eager(captured.arguments))
    theirs = [complex_pairs.paired(arrays.to_torch(x)) for x in front.outputs]
    if [x.shape for x in own] != [x.shape for x in theirs]:
        summary = "not compared: the function also changes variables, or the snippet has since"
        yield report.Stage("result", "skipped", 0.0, summary=summary)
        return
    exact = run.reference(captured, captured.arguments)
    with torch.no_grad():
        found = numerics.check({"eager": own, "tensorflow": theirs}, exact)
    rows = [
        report.Row([who, n.max_abs_error, n.max_rel_error, n.ok])
        for who, n in (("TensorFlow", found["tensorflow"]), ("here", found["eager"]))
    ]
    table = report.Table("result", _COLUMNS, rows)
    ok = found["tensorflow"].ok
    summary = "TensorFlow's result is this program's" if ok else found["tensorflow"].error
    status: report.StageStatus = "ok" if ok else "failed"
    yield report.Stage("result", status, 0.0, summary=summary, tables=[table])
