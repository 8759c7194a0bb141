"""A program compiled and run by a compiler in another process, ready to be checked and timed."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.extras import environment
from compiler_core.extras.program import Outputs, Remote
from compiler_core.extras.session import COMPILE_S, Session
from compiler_core.interop import arrays, complex_pairs
from compiler_core.measure.runnable import Costs, Runnable, device_of
from compiler_core.reference.result import Reference, title_of

# How the times of a program in another process are measured, for its summary.
_TIMED_THERE = (
    "a process of its own: calls are timed there, by that process's clock, in the same rounds"
)


class Handed(Protocol):
    """A program in the form that the compiler reads."""

    def flat(self, inputs: Sequence[Any]) -> list[np.ndarray[Any, Any]]:
        """The inputs of the captured program as arrays, in the order of this one's arguments."""
        ...

    def write(self, file: Path) -> None:
        """Writes the file that the compiler reads."""

    @property
    def shown(self) -> tuple[report.Artifact, ...]:
        """The program's texts for the report."""
        ...


def start(compiler: report.Compiler) -> Session | str:
    """The compiler's process; or the sentence that it is not installed. Raises ToolchainError if
    the process cannot be started."""
    python, title = environment.python_of(compiler), title_of(compiler)
    if python is None:
        return environment.absent(compiler, title)
    return Session(title, python, f"for_{compiler}.py")


def compile_there(session: Session, program: Handed, **options: Any) -> dict[str, Any]:
    """Sends the program and compiles it; returns the reply, with `ms` and `version`. Raises
    ToolchainError with the compiler's message."""
    file = session.new_file("program")
    program.write(file)
    reply: dict[str, Any] = session.ask("compile", seconds=COMPILE_S, text=str(file), **options)
    return reply


def prepare(
    compiler: report.Compiler, captured: Captured, make: Callable[[], Handed | str]
) -> Reference:
    """Compiles the program that `make` returns and runs it once. Where `make` returns a reason, the
    compiler is not installed, or the program is for a GPU, the result is a Reference with the
    reason and nothing to run. Raises ToolchainError where the compiler fails."""
    session = start(compiler)
    if isinstance(session, str):
        return Reference(compiler, session)
    if device_of(captured) != "cpu":
        return Reference(compiler, f"{session.title} is asked for the processor alone")
    begin = time.perf_counter()
    program = make()
    if isinstance(program, str):
        return Reference(compiler, program)
    return _prepared(compiler, session, captured, program, (time.perf_counter() - begin) * 1e3)


def _prepared(
    compiler: report.Compiler,
    session: Session,
    captured: Captured,
    program: Handed,
    capture_ms: float,
) -> Reference:
    reply, remote = compile_there(session, program), Remote(session)
    spent_ns, _ = remote.timed([remote.load(program.flat(captured.arguments))])
    first_ms = capture_ms + reply["ms"] + spent_ns / 1e6
    costs = Costs(capture_ms=capture_ms, compile_ms=reply["ms"], first_call_ms=first_ms)
    about = session.ask("about")
    notes = f"{session.title} {reply['version']}, {about}; {_TIMED_THERE}"
    runnable = _runnable(remote, program, costs)
    return Reference(compiler, notes, runnable, program.shown, figures(compiler))


def figures(compiler: report.Compiler, **counted: report.Figure) -> report.CompilerSummary:
    """The figures of a compiler that is given one graph, with those that a look has `counted`."""
    title = title_of(compiler)
    inside = report.in_a_look(f": tick {title} under Look inside")
    untold = report.Figure(why=f"{title} does not report it")
    names = ("kernels", "launches", "library_calls", "bytes")
    kernels, launches, calls, moved = (counted.get(name, inside) for name in names)
    return report.CompilerSummary(
        compiler, report.Figure(1), report.Figure(0), kernels, launches, calls, moved, untold
    )


def _runnable(remote: Remote, program: Handed, costs: Costs) -> Runnable:
    def outputs(result: Outputs) -> list[torch.Tensor]:
        return [complex_pairs.paired(arrays.to_torch(each)) for each in remote.fetch(result)]

    return Runnable(
        lambda inputs: remote.load(program.flat(inputs)), remote.call, outputs, costs, remote.timed
    )
