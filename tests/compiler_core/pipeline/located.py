"""Snippets whose errors are located kernel by kernel."""

import functools
import textwrap
from dataclasses import dataclass

from compiler_core import report
from compiler_core.pipeline import order


@dataclass(frozen=True)
class Explored:
    program: report.Program

    @property
    def errors(self):
        return self.program.kernel_errors

    @property
    def worst(self):
        return max(self.errors, key=lambda e: report.severity(e.own))

    def lines(self, error):
        """The lines of the snippet that a kernel has."""
        (found,) = [k for k in self.program.kernels if is_of(k, error)]
        return found.lines

    @property
    def stage(self):
        return [s for s in self.program.stages if s.name == "precision"][-1]

    def of(self, op):
        """The errors where eager's value is the result of `op`."""
        names = {n.id: n.op for n in self.program.nodes}
        return [e for e in self.errors if op in names.get(e.eager_node, "")]


def is_of(kernel, error):
    return (kernel.id, kernel.graph, kernel.backend) == (error.kernel, error.graph, error.backend)


def explored(source, monkeypatch):
    some = tuple(s for s in order.PIPELINE if s.name not in ("measure", "compile", "disassemble"))
    monkeypatch.setattr(order, "PIPELINE", some)
    events: list[report.Event] = []
    order.explore(textwrap.dedent(source), report.Options(measure=False), events.append)
    (program,) = functools.reduce(report.apply, events, report.Report()).programs
    assert program.error is None, program.error
    return Explored(program)
