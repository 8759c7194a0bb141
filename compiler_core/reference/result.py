"""The result of a reference compiler for a program, or the reason why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from compiler_core import report
from compiler_core.measure.runnable import Costs, Runnable
from compiler_core.reference.refusal import refusal
from compiler_core.report import package_of
from compiler_core.snippet.remedies import words_of

# The most characters of one artifact; a longer text is cut, and says so.
_LONGEST = 400_000


@dataclass(frozen=True)
class Reference:
    """`runnable` is None where the compiler refused or failed, and `summary` says why; otherwise
    `summary` says what its times leave out."""

    compiler: report.Compiler
    summary: str
    runnable: Runnable | None = None
    artifacts: tuple[report.Artifact, ...] = ()
    # The compiler's figures for the program, as far as its package counts them.
    figures: report.CompilerSummary | None = None
    # Tables on the compilation.
    tables: tuple[report.Table, ...] = ()
    # The Python modules of generated code that a call runs, if there are any.
    modules: Sequence[Any] = ()

    @property
    def status(self) -> report.StageStatus:
        return "skipped" if self.runnable is None else "ok"


def phases(costs: Costs) -> list[report.Phase]:
    """The two halves of compiling that are timed of every compiler."""
    timed = (("to the graph", costs.capture_ms), ("from the graph", costs.compile_ms))
    return [report.Phase(name, ms) for name, ms in timed if ms is not None]


def failed(compiler: report.Compiler, error: BaseException) -> Reference:
    """A failure in plain words and with the compiler's whole message, or with its first line."""
    if known := refusal(package_of(compiler), str(error)):
        raw = artifact("message", "text", str(error))
        return Reference(compiler, f"{known.why}; {known.remedy}", artifacts=(raw,))
    message = words_of(error).removeprefix(f"{type(error).__name__}: ")
    return Reference(compiler, f"{title_of(compiler)} failed: {message}")


def title_of(compiler: report.Compiler) -> str:
    """A compiler's name for users."""
    return next(c.title for c in report.COMPILERS if c.id == compiler)


def artifact(
    name: str,
    language: report.Language,
    text: str,
    nodes: Sequence[list[int]] = (),
    *,
    kind: str = "",
    kernel: str | None = None,
) -> report.Artifact:
    """Another compiler's text with its line map, both cut where it is too long to show. `nodes` are
    the captured operations of each line; the kind is the name's first word unless it is given."""
    if len(text) > _LONGEST:
        kept = text[:_LONGEST]
        text = f"{kept}\n... cut: {len(text)} characters in all\n"
        nodes = nodes[: kept.count("\n")]
    return report.Artifact(
        name, kind or name.split(maxsplit=1)[0], language, text, list(nodes), kernel
    )
