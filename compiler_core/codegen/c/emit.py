"""A Plan as one C file without includes: a function a kernel, and one that runs them in order.

Kernels that differ only in their buffers are one function; its lines then come from the
operations of all of them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from compiler_core.codegen.c import control as c_control
from compiler_core.codegen.c import mathematics as c_math
from compiler_core.codegen.c import matmul as c_matmul
from compiler_core.codegen.c.body import Body
from compiler_core.codegen.c.columns import columns
from compiler_core.codegen.c.control import Places
from compiler_core.codegen.c.flat import flat
from compiler_core.codegen.c.rows import rows
from compiler_core.codegen.c.segments import Program, Segment, divide
from compiler_core.codegen.c.split import split
from compiler_core.codegen.c.types import memory_type
from compiler_core.codegen.writer import Source, Writer
from compiler_core.kernel.kernel import (
    BufferParam,
    Def,
    Effect,
    Kernel,
    Load,
    Phase,
    Store,
)
from compiler_core.plan.control import Control
from compiler_core.plan.plan import Plan
from compiler_core.plan.steps import KernelStep, Matmul, Step
from compiler_core.schedule.cpu import CpuSchedule, choose_cpu

WIDTH = 100
Part = TypeVar("Part", bound=Def | Effect)

_WALKS: dict[str, Callable[[Body, CpuSchedule], None]] = {
    "flat": flat,
    "rows": rows,
    "columns": columns,
    "split": split,
}


def emit(plan: Plan, program: Program | None = None) -> Source:
    """The C text of everything in `plan` that C runs: of `program`, the plan as it is divided."""
    program = program or divide(plan)
    functions, names = _functions(program)
    entries = Writer()
    for each in program.walk():
        for segment in each.segments:
            if segment.entry:
                _entry(entries, each, segment, names)
    body = [*functions, entries.source("", "c")]
    return _file(plan, body)


def _file(plan: Plan, parts: list[Source]) -> Source:
    text = "".join(p.text for p in parts)
    w = Writer()
    w.line(f"// {plan.name}: {_count(len(plan.steps), 'step')}")
    for dtype, name in c_matmul.NAMES.items():
        if f" {name}(" in text:
            _text(w, c_matmul.declaration(dtype))
    for helper in c_math.used(text):
        _text(w, helper)
    for part in parts:
        w.line()
        for line, nodes in zip(part.text.splitlines(), part.nodes, strict=False):
            w.line(line, nodes)
    return w.source(plan.name, "c")


def _text(w: Writer, text: str) -> None:
    w.lines("", *text.splitlines())


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


# -- kernels


def _functions(program: Program) -> tuple[list[Source], dict[str, str]]:
    """One function for each different kernel; the function's name of each step's name."""
    groups: dict[object, list[Kernel]] = {}
    for step in _steps_in(s for each in program.walk() for s in each.segments if s.entry):
        if isinstance(step, KernelStep):
            groups.setdefault(_shape(step.kernel), []).append(step.kernel)
    names = {k.name: kernels[0].name for kernels in groups.values() for k in kernels}
    return [_function(_united(kernels)) for kernels in groups.values()], names


def _steps_in(segments: Iterable[Segment]) -> Iterator[Step]:
    """Every step, those inside of control flow too."""
    for segment in segments:
        for step in segment.steps:
            yield step
            for plan in step.plans:
                yield from plan.walk()


def _shape(kernel: Kernel) -> object:
    """What two kernels have in common that may share a function."""
    numbers = {b.name: f"#{i}" for i, b in enumerate(kernel.buffers)}
    buffers = tuple((b.type, b.role) for b in kernel.buffers)
    defs = tuple(_plain(d, numbers) for d in kernel.defs)
    phases = tuple(tuple(_plain(e, numbers) for e in s.effects) for s in kernel.phases)
    return kernel.kind, kernel.axes, buffers, defs, phases


def _plain(x: Part, numbers: dict[str, str]) -> Part:
    x = replace(x, origins=())
    return replace(x, buffer=numbers[x.buffer]) if isinstance(x, Load | Store) else x


def _united(kernels: list[Kernel]) -> Kernel:
    """The first kernel, each part with the origins of its like in all of them."""
    first = kernels[0]
    defs = tuple(_with_all_origins(like) for like in zip(*(k.defs for k in kernels), strict=True))
    phases = tuple(
        Phase(tuple(_with_all_origins(e) for e in zip(*(s.effects for s in like), strict=True)))
        for like in zip(*(k.phases for k in kernels), strict=True)
    )
    origins = tuple(sorted({o for k in kernels for o in k.origins}))
    return replace(first, defs=defs, phases=phases, origins=origins)


def _with_all_origins(like: tuple[Part, ...]) -> Part:
    return replace(like[0], origins=tuple(sorted({o for p in like for o in p.origins})))


def _function(kernel: Kernel) -> Source:
    kernel = _with_c_names(kernel)
    schedule = choose_cpu(kernel)
    w = Writer()
    w.line(f"// {kernel.kind}: {schedule.reason}", kernel.origins)
    params = [_param(b) for b in kernel.buffers]
    if schedule.threads:
        params.append("int threads")
    _signature(w, f"static void {kernel.name}", params, kernel.origins)
    with w.indent():
        if all(a.extent for a in kernel.parallel):
            _WALKS[schedule.strategy](Body(w, kernel), schedule)
    w.line("}")
    return w.source(kernel.name, "c")


def _param(b: BufferParam) -> str:
    const = "const " if b.role == "in" else ""
    return f"{const}{memory_type(b.type.dtype)} *restrict {b.name}"


def _signature(w: Writer, head: str, params: list[str], origins: Iterable[int]) -> None:
    line = f"{head}({', '.join(params)}) {{"
    if len(line) <= WIDTH:
        w.line(line, origins)
        return
    w.line(f"{head}(", origins)
    with w.indent():
        for i, p in enumerate(params):
            w.line(p + (",") * (i < len(params) - 1))
    w.line(") {")


_OWN = re.compile(r"[vir]\d.*|threads|block|end|low|high|piece|run|stop|lane|rest")
_KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long main register restrict return short signed sizeof static struct switch
    typedef union unsigned void volatile while""".split()  # noqa: SIM905
)


def _with_c_names(kernel: Kernel) -> Kernel:
    """`kernel` with the buffers renamed whose names mean something else in the text."""
    taken = {
        b.name: f"{b.name}_"
        for b in kernel.buffers
        if b.name in _KEYWORDS or b.name in c_math.HELPERS or _OWN.fullmatch(b.name)
    }
    if not taken:
        return kernel

    def renamed(x: Part) -> Part:
        if isinstance(x, Load | Store):
            return replace(x, buffer=taken.get(x.buffer, x.buffer))
        return x

    return replace(
        kernel,
        buffers=tuple(replace(b, name=taken.get(b.name, b.name)) for b in kernel.buffers),
        defs=tuple(renamed(d) for d in kernel.defs),
        phases=tuple(Phase(tuple(renamed(e) for e in s.effects)) for s in kernel.phases),
    )


# -- the entry


def _entry(w: Writer, program: Program, segment: Segment, names: dict[str, str]) -> None:
    origins = {o for s in _steps_in([segment]) for o in s.origins}
    w.line(f"void {segment.entry}(void *const *buffers, char *arena, int threads) {{", origins)
    with w.indent():
        _steps(w, segment.steps, _places(program), names)
    w.line("}")


def _places(program: Program) -> Places:
    """Addresses: `buffers[2]`, or a place in the arena."""
    own = {name: f"buffers[{i}]" for i, name in enumerate(program.pointers)}
    return own | {name: f"(void *)(arena + {at})" for name, at in program.offsets.items()}


def _steps(w: Writer, steps: Sequence[Step], places: Places, names: dict[str, str]) -> None:
    for step in steps:
        if isinstance(step, KernelStep):
            _call(w, places, step.kernel, names[step.name])
        elif isinstance(step, Matmul):
            c_matmul.emit(w, step, *(places[b.name] for b in (step.lhs, step.rhs, step.out)))
        elif isinstance(step, Control):
            c_control.emit(w, step, places, partial(_steps, w, names=names))


def _call(w: Writer, places: Places, kernel: Kernel, function: str) -> None:
    arguments = [places[b.name] for b in kernel.buffers]
    if choose_cpu(kernel).threads:
        arguments.append("threads")
    line = f"{function}({', '.join(arguments)});"
    if len(line) + 4 <= WIDTH:
        w.line(line, kernel.origins)
        return
    w.line(f"{function}(", kernel.origins)
    with w.indent():
        for i, argument in enumerate(arguments):
            w.line(argument + (");" if i == len(arguments) - 1 else ","), kernel.origins)
