"""The head of a generated C function."""

from collections.abc import Iterable

from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Writer
from compiler_core.kernel.kernel import BufferParam

WIDTH = 100


def param(b: BufferParam) -> str:
    const = "const " if b.role == "in" else ""
    return f"{const}{memory_type(b.type.dtype)} *restrict {b.name}"


def signature(w: Writer, head: str, params: list[str], origins: Iterable[int]) -> None:
    """`head` with its parameters; one a line where that is long."""
    line = f"{head}({', '.join(params)}) {{"
    if len(line) <= WIDTH:
        w.line(line, origins)
        return
    w.line(f"{head}(", origins)
    with w.indent():
        for i, p in enumerate(params):
            w.line(p + (",") * (i < len(params) - 1))
    w.line(") {")
