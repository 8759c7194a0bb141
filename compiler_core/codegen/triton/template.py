"""What the modules of all templates share: the function's head, its sizes, the launch.

A template is a step whose function has a body of its own (products, convolutions, attention,
sorts); emit.py prints the others.
"""

from collections.abc import Callable, Mapping
from typing import Protocol

from compiler_core.codegen.triton.module import Launch, TritonSource, jit, module, signature
from compiler_core.codegen.writer import Writer
from compiler_core.ir import sizes
from compiler_core.ir.sizes import at_most
from compiler_core.kernel.kernel import BufferParam


class Template(Protocol):
    """A step that a template computes."""

    @property
    def name(self) -> str: ...
    @property
    def inputs(self) -> tuple[BufferParam, ...]: ...
    @property
    def outputs(self) -> tuple[BufferParam, ...]: ...
    @property
    def origins(self) -> tuple[int, ...]: ...
    @property
    def symbols(self) -> tuple[sizes.Symbol, ...]: ...


class Schedule(Protocol):
    """A template's schedule: `blocks` are the constexpr arguments of its function, `cover` has each
    extent with the length of its tiles; the one-dimensional grid has a program for each combination
    of tiles."""

    @property
    def blocks(self) -> Mapping[str, int]: ...
    @property
    def cover(self) -> tuple[tuple[sizes.Dim, int], ...]: ...
    @property
    def grid(self) -> tuple[int, int, int]: ...
    @property
    def num_warps(self) -> int: ...
    @property
    def reason(self) -> str: ...


def emitted(
    w: Writer,
    step: Template,
    schedule: Schedule,
    body: Callable[[], None],
    num_stages: int | None = None,
) -> TritonSource:
    """The module of `step`, whose function's body is written to `w` by `body`. `num_stages` is that
    of Triton's software pipeline; None: the compiler's default."""
    arguments = tuple({b.name: b for b in (*step.inputs, *step.outputs)}.values())
    params = [f"{b.name}_ptr" for b in arguments]
    params += map(str, step.symbols)
    params += [f"{name}: tl.constexpr" for name in schedule.blocks]
    w.line(jit(step.symbols))
    signature(w, step.name, params, step.origins)
    with w.indent():
        w.line(f"# {schedule.reason[0].upper()}{schedule.reason[1:]}.")
        if needs_long(step):
            w.lines(*(f"{name} = {name}.to(tl.int64)" for name in step.symbols))
        body()
    launch = Launch(
        step.name, arguments, schedule.blocks, schedule.grid, schedule.num_warps, step.symbols,
        schedule.cover, flat=True, num_stages=num_stages,
    )  # fmt: skip
    return TritonSource(module(w.source(step.name, "python")), launch)


def program_id(step: Template) -> str:
    """The expression for the program's number, in 64 bits where offsets need them."""
    return f"tl.program_id(0){'.to(tl.int64)' if needs_long(step) else ''}"


def needs_long(step: Template) -> bool:
    """Whether offsets within some operand may need 64 bits."""
    return not all(at_most(b.type.elements, sizes.MOST) for b in (*step.inputs, *step.outputs))
