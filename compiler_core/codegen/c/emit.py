"""A Plan as one C file without includes: a function a kernel, and one that runs them in order.

Kernels that differ only in their buffers are one function; its lines then come from the
operations of all of them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from compiler_core.codegen.c import control as c_control
from compiler_core.codegen.c import mathematics as c_math
from compiler_core.codegen.c import matmul as c_matmul
from compiler_core.codegen.c import product as c_product
from compiler_core.codegen.c.body import Body
from compiler_core.codegen.c.columns import columns
from compiler_core.codegen.c.control import Places
from compiler_core.codegen.c.flat import flat
from compiler_core.codegen.c.rows import rows
from compiler_core.codegen.c.scatter import scatter
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
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.products import BLAS_ROUTINES, REGISTERS
from compiler_core.plan.steps import KernelStep, Matmul
from compiler_core.schedule.cpu import CpuSchedule

WIDTH = 100
Part = TypeVar("Part", bound=Def | Effect)

_WALKS: dict[str, Callable[[Body, CpuSchedule], None]] = {
    "flat": flat,
    "rows": rows,
    "columns": columns,
    "split": split,
    "scatter": scatter,
}


@dataclass(frozen=True)
class CSource:
    """The text of everything in a plan that C runs, and the plan as it is divided for that."""

    program: Program
    source: Source


def emit(plan: Plan) -> CSource:
    """Prints `plan`."""
    program = divide(plan)
    functions, names = _functions(program)
    entries = Writer()
    for each in program.walk():
        for segment in each.segments:
            if segment.entry:
                _entry(entries, each, segment, names)
    return CSource(program, _file(plan, [*functions, entries.source("", "c")]))


def _file(plan: Plan, parts: list[Source]) -> Source:
    text = "".join(p.text for p in parts)
    launches = (launch for launch in plan.walk() if launch.schedule.strategy == REGISTERS)
    products = [x.step for x in launches if isinstance(x.step, Matmul)]
    w = Writer()
    w.line(f"// {plan.name}: {_count(len(plan.launches), 'step')}")
    for dtype, name in BLAS_ROUTINES.items():
        if f" {name}(" in text:
            _text(w, c_matmul.declaration(dtype))
    for helper in (*c_product.helpers(products), *c_math.used(text)):
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
    groups: dict[object, list[Launch]] = {}
    products: dict[str, list[Matmul]] = {}
    for launch in _launches(s for each in program.walk() for s in each.segments if s.entry):
        if launch.schedule.strategy in _WALKS:
            groups.setdefault(_shape(launch), []).append(launch)
        elif launch.schedule.strategy == REGISTERS:
            assert isinstance(launch.step, Matmul)
            products.setdefault(c_product.function_name(launch.step), []).append(launch.step)
    names = {x.step.name: alike[0].step.name for alike in groups.values() for x in alike}
    own = [c_product.function(steps) for steps in products.values()]
    return [*own, *(_function(alike) for alike in groups.values())], names


def _launches(segments: Iterable[Segment]) -> Iterator[Launch]:
    """Every launch, those inside of control flow too."""
    for segment in segments:
        yield from _launches_of(segment.launches)


def _launches_of(launches: Iterable[Launch]) -> Iterator[Launch]:
    for launch in launches:
        yield launch
        for plan in launch.step.plans:
            yield from plan.walk()


def _kernel(launch: Launch) -> tuple[Kernel, CpuSchedule]:
    step, schedule = launch.step, launch.schedule
    assert isinstance(step, KernelStep) and isinstance(schedule, CpuSchedule)
    return step.kernel, schedule


def _shape(launch: Launch) -> object:
    """What two launches have in common that may share a function."""
    kernel, schedule = _kernel(launch)
    numbers = {b.name: f"#{i}" for i, b in enumerate(kernel.buffers)}
    buffers = tuple((b.type, b.role) for b in kernel.buffers)
    defs = tuple(_plain(d, numbers) for d in kernel.defs)
    phases = tuple(tuple(_plain(e, numbers) for e in s.effects) for s in kernel.phases)
    walk = (schedule.strategy, *schedule.parameters.items())
    return kernel.kind, kernel.axes, buffers, defs, phases, walk


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


def _function(launches: list[Launch]) -> Source:
    """The function of launches that are alike."""
    _, schedule = _kernel(launches[0])
    kernel, schedule = _with_c_names(_united([_kernel(x)[0] for x in launches]), schedule)
    w = Writer()
    w.line(f"// {kernel.kind}: {schedule.reason}", kernel.origins)
    params = [_param(b) for b in kernel.buffers]
    if schedule.threads:
        params.append("int threads")
    _signature(w, f"static void {kernel.name}", params, kernel.origins)
    with w.indent():
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


def _with_c_names(kernel: Kernel, schedule: CpuSchedule) -> tuple[Kernel, CpuSchedule]:
    """Both with the buffers renamed whose names mean something else in the text."""
    taken = {
        b.name: f"{b.name}_"
        for b in kernel.buffers
        if b.name in _KEYWORDS or b.name in c_math.HELPERS or _OWN.fullmatch(b.name)
    }
    if not taken:
        return kernel, schedule

    def renamed(x: Part) -> Part:
        if isinstance(x, Load | Store):
            return replace(x, buffer=taken.get(x.buffer, x.buffer))
        return x

    renamed_kernel = replace(
        kernel,
        buffers=tuple(replace(b, name=taken.get(b.name, b.name)) for b in kernel.buffers),
        defs=tuple(renamed(d) for d in kernel.defs),
        phases=tuple(Phase(tuple(renamed(e) for e in s.effects)) for s in kernel.phases),
    )
    keep = tuple(replace(k, place=k.place and renamed(k.place)) for k in schedule.keep)
    return renamed_kernel, replace(schedule, keep=keep)


# -- the entry


def _entry(w: Writer, program: Program, segment: Segment, names: dict[str, str]) -> None:
    parts = [segment.launches[i : i + _PART] for i in range(0, len(segment.launches), _PART)]
    heads = [f"{segment.entry}_part{i}" for i in range(len(parts))] if len(parts) > 1 else []
    for head, launches in zip(heads, parts, strict=False):
        with _body(w, f"static __attribute__((noinline)) void {head}", launches):
            _calls(w, launches, _places(program), names)
    with _body(w, f"void {segment.entry}", segment.launches):
        if not heads:
            _calls(w, segment.launches, _places(program), names)
        w.lines(*(f"{head}(buffers, arena, threads);" for head in heads))


# Launches in one function: gcc's time grows with more than the length of a function.
_PART = 256


@contextmanager
def _body(w: Writer, head: str, launches: Sequence[Launch]) -> Iterator[None]:
    origins = {o for x in _launches_of(launches) for o in x.step.origins}
    w.line(f"{head}(void *const *buffers, char *arena, int threads) {{", origins)
    with w.indent():
        yield
    w.line("}")


def _places(program: Program) -> Places:
    """Addresses: `buffers[2]`, or a place in the arena."""
    own = {name: f"buffers[{i}]" for i, name in enumerate(program.pointers)}
    return own | {name: f"(void *)(arena + {at})" for name, at in program.offsets.items()}


def _calls(w: Writer, launches: Sequence[Launch], places: Places, names: dict[str, str]) -> None:
    for launch in launches:
        _CALLS[launch.schedule.strategy](w, launch, places, names)


def _call_kernel(w: Writer, launch: Launch, places: Places, names: dict[str, str]) -> None:
    kernel, schedule = _kernel(launch)
    function, arguments = names[kernel.name], [places[b.name] for b in kernel.buffers]
    if schedule.threads:
        arguments.append("threads")
    line = f"{function}({', '.join(arguments)});"
    if len(line) + 4 <= WIDTH:
        w.line(line, kernel.origins)
        return
    w.line(f"{function}(", kernel.origins)
    with w.indent():
        for i, argument in enumerate(arguments):
            w.line(argument + (");" if i == len(arguments) - 1 else ","), kernel.origins)


def _call_blas(w: Writer, launch: Launch, places: Places, names: dict[str, str]) -> None:
    step = launch.step
    assert isinstance(step, Matmul)
    c_matmul.emit(w, step, *(places[b.name] for b in (step.lhs, step.rhs, step.out)))


def _call_product(w: Writer, launch: Launch, places: Places, names: dict[str, str]) -> None:
    step = launch.step
    assert isinstance(step, Matmul)
    lhs, rhs, out = (places[b.name] for b in (step.lhs, step.rhs, step.out))
    w.line(f"{c_product.function_name(step)}({lhs}, {rhs}, {out});  // {step.name}", step.origins)


def _control(w: Writer, launch: Launch, places: Places, names: dict[str, str]) -> None:
    assert isinstance(launch.step, Control)
    c_control.emit(w, launch.step, places, partial(_calls, w, names=names))


# What the entry says for each strategy that C runs.
_CALLS: dict[str, Callable[[Writer, Launch, Places, dict[str, str]], None]] = {
    **dict.fromkeys(_WALKS, _call_kernel),
    REGISTERS: _call_product,
    "blas": _call_blas,
    "control": _control,
}
