"""Heads and calls of C functions, an argument a line where they are long."""

from collections.abc import Iterable, Sequence

from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Writer
from compiler_core.kernel.kernel import BufferParam

WIDTH = 100


def param(b: BufferParam, *, alone: bool = True) -> str:
    """The declaration of a buffer as a C parameter, `restrict` if `alone`: if no other parameter
    shares its memory."""
    const = "const " if b.role == "in" else ""
    return f"{const}{memory_type(b.type.dtype)} *{'restrict ' * alone}{b.name}"


def params(buffers: Sequence[BufferParam]) -> list[str]:
    """The buffers of a function as its parameters."""
    shared = {name for b in buffers if b.over for name in (b.name, b.over)}
    return [param(b, alone=b.name not in shared) for b in buffers]


def signature(w: Writer, head: str, given: Sequence[str], origins: Iterable[int]) -> None:
    """The head of a function with the parameters `given`, and the brace that opens it."""
    line = f"{head}({', '.join(given)}) {{"
    if len(line) <= WIDTH:
        w.line(line, origins)
        return
    w.line(f"{head}(", origins)
    with w.indent():
        for i, p in enumerate(given):
            w.line(p + (",") * (i < len(given) - 1))
    w.line(") {")


def call(w: Writer, function: str, arguments: Sequence[str], origins: Iterable[int]) -> None:
    """The statement that calls a function."""
    origins = tuple(origins)
    line = f"{function}({', '.join(arguments)});"
    if len(line) + 4 <= WIDTH:
        w.line(line, origins)
        return
    w.line(f"{function}(", origins)
    with w.indent():
        for i, argument in enumerate(arguments):
            w.line(argument + (");" if i == len(arguments) - 1 else ","), origins)


def listed(w: Writer, given: Sequence[str], end: str = "") -> None:
    """Parameters in as many lines as they take, with `end` after the last."""
    lines = [""]
    for i, each in enumerate(given):
        text = each + ("," if i < len(given) - 1 else end)
        if len(lines[-1]) + len(text) > 88:
            lines.append("")
        lines[-1] = f"{lines[-1]} {text}".strip()
    w.lines(*(f"    {line}" for line in lines))
