"""A JAX program recorded as torch's calls, traced back to the snippet as torch traces its own:
TorchDynamo keeps the stack traces of a graph module that it is given."""

from collections.abc import Iterable
from typing import Any

from compiler_core.report import CapturedOp
from compiler_core.snippet.source import FILE, line_text


def place(module: Any, nodes: Iterable[CapturedOp]) -> None:
    """Gives each node of a torch.fx.GraphModule whose `meta["origins"]` are captured operations the
    stack trace of the first that has a line."""
    known = {node.id: node for node in nodes if node.line is not None}
    for node in module.graph.nodes:
        ops = [known[i] for i in node.meta.get("origins", ()) if i in known]
        if ops:
            node.meta["stack_trace"] = trace_of(ops[0])


def trace_of(op: CapturedOp) -> str:
    """The place of an operation as Python writes it in a traceback: the frame, the line without its
    indentation, and marks under the expression."""
    text = line_text(FILE, op.line or 0)
    indent = len(text) - len(text.lstrip())
    column = op.column or 1
    blank, marks = " " * max(0, column - 1 - indent), "^" * max(1, (op.end or 0) - column)
    return f'File "{FILE}", line {op.line}, in program\n    {text.strip()}\n    {blank}{marks}\n'
