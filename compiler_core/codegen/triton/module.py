"""A generated module: its imports, helpers and function, and how the function is launched."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from compiler_core.codegen.triton.helpers import HELPERS
from compiler_core.codegen.writer import Source, Writer
from compiler_core.ir.sizes import Dim, Symbol, evaluate
from compiler_core.kernel.kernel import BufferParam

WIDTH = 100


@dataclass(frozen=True)
class Launch:
    """One launch: `entry[grid](*arguments, **constexprs, **options)`, arguments by name. `cover`
    has each extent that is divided among programs, with the length that one program computes: one
    for each axis of the grid or, where `flat`, all multiplied along its first axis."""

    entry: str
    arguments: tuple[BufferParam, ...]
    constexprs: Mapping[str, int]
    grid: tuple[int, int, int]
    num_warps: int
    sizes: tuple[Symbol, ...] = ()
    cover: tuple[tuple[Dim, int], ...] = ()
    flat: bool = False
    num_stages: int | None = None

    @property
    def options(self) -> Mapping[str, int]:
        """Options of Triton's compiler; those that are absent keep its defaults."""
        stages = {} if self.num_stages is None else {"num_stages": self.num_stages}
        return {"num_warps": self.num_warps, **stages}

    def grid_at(self, values: Mapping[Symbol, int]) -> tuple[int, ...]:
        """The number of programs along each axis of the grid, for the sizes of a call."""
        if not self.sizes:
            return self.grid
        counts = tuple(-(-evaluate(extent, values) // block) for extent, block in self.cover)
        return (prod(counts), 1, 1) if self.flat else counts


@dataclass(frozen=True)
class TritonSource:
    """A kernel as the text of a module, and the launch of its function."""

    source: Source
    launch: Launch


def module(function: Source) -> Source:
    """Imports, helpers and the function, separated by two blank lines."""
    body, w = function.text, Writer()
    code = re.sub("#.*", "", body)
    w.lines("import triton", "import triton.language as tl")
    if "libdevice." in code:
        w.line("from triton.language.extra import libdevice")
    for helper, text in HELPERS.items():
        if re.search(rf"\b{helper}\b", code):
            w.lines("", "", *text.splitlines())
    w.lines("", "")
    for line, nodes in zip(body.splitlines(), function.nodes, strict=False):
        w.line(line, nodes)
    return w.source(function.name, "python")


def jit(sizes: Iterable[Symbol]) -> str:
    """The decorator of a function that takes `sizes`: one compilation serves all their values."""
    quoted = ", ".join(f'"{size}"' for size in sizes)
    return f"@triton.jit(do_not_specialize=[{quoted}])" if quoted else "@triton.jit"


def signature(w: Writer, name: str, params: list[str], origins: Iterable[int]) -> None:
    """The head of a function; one parameter per line if it is long."""
    line = f"def {name}({', '.join(params)}):"
    if len(line) <= WIDTH:
        w.line(line, origins)
        return
    w.line(f"def {name}(", origins)
    with w.indent():
        w.lines(*(f"{p}," for p in params))
    w.line("):")
