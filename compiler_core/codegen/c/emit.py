"""A plan as one C file without includes: a function for each kernel, and one that calls them in
order."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from compiler_core.codegen.c import control as c_control
from compiler_core.codegen.c import convolution_sums, denormals, tiles
from compiler_core.codegen.c import direct as c_direct
from compiler_core.codegen.c import mathematics as c_math
from compiler_core.codegen.c import matmul as c_matmul
from compiler_core.codegen.c import sort as c_sort
from compiler_core.codegen.c.attention import helpers as attention_helpers
from compiler_core.codegen.c.control import Places
from compiler_core.codegen.c.functions import BY_STRATEGY, functions
from compiler_core.codegen.c.product import function as c_product
from compiler_core.codegen.c.round_trips import ONE_BY_ONE, has_round_trip
from compiler_core.codegen.c.segments import Program, Segment, divide, launches_within
from compiler_core.codegen.c.signature import call
from compiler_core.codegen.c.stamps import HELPER as STAMPS
from compiler_core.codegen.c.stamps import stamped
from compiler_core.codegen.writer import Source, Writer
from compiler_core.ir.sizes import Symbol, product
from compiler_core.kernel.kernel import Kernel
from compiler_core.plan.control import Control
from compiler_core.plan.cpu.libraries import BLAS_ROUTINES, REGISTERS
from compiler_core.plan.cpu.loops import kernel_of
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.side import grouped
from compiler_core.plan.steps import Matmul
from compiler_core.schedule.cpu.attention import STRATEGY


@dataclass(frozen=True)
class CSource:
    """The text of everything in a plan that C runs, and the plan's division into segments."""

    program: Program
    source: Source


@dataclass(frozen=True)
class _Names:
    """By the name of a step: its C function, and the number of its stamps where it has any."""

    functions: Mapping[str, str]
    numbers: Mapping[str, int] = field(default_factory=dict)


def emit(plan: Plan, *, stamps: bool = False) -> CSource:
    """Prints `plan`; with `stamps`, launches write down when they begin and end, a loop or a branch
    those that it runs."""
    program = divide(plan, plan.symbols)
    kernels, own = functions(program)
    numbers = {x.step.name: n for n, x in enumerate(plan.walk()) if not x.step.plans}
    names = _Names(own, numbers if stamps else {})
    entries = Writer()
    for each in program.walk():
        for segment in each.segments:
            if segment.entry:
                _entry(entries, each, segment, names, plan.flushes_denormals)
    head = (STAMPS,) if stamps else ()
    return CSource(program, _file(plan, [*kernels, entries.source("", "c")], head))


def _file(plan: Plan, parts: list[Source], head: Sequence[str]) -> Source:
    text = "".join(p.text for p in parts)
    by = {s: [x for x in plan.walk() if x.schedule.strategy == s] for s in _WITH_HELPERS}
    products = tiles.helpers(text, map(c_product.dtype, by[REGISTERS]))
    convolved = sorted({c_direct.dtype(x) for x in by["direct"]}, key=str)
    vectors = [x for x in map(tiles.vectors, convolved) if x not in products]
    own = [*vectors, *products, *(attention_helpers.HELPERS if by[STRATEGY] else ())]
    sizes = (tiles.SIZES,) if own else ()
    w = Writer()
    w.line(f"// {plan.name}: {_count(len(plan.launches), 'step')}")
    if has_round_trip(text):
        _text(w, ONE_BY_ONE)
    for dtype, name in BLAS_ROUTINES.items():
        if f" {name}(" in text:
            _text(w, c_matmul.declaration(dtype))
    if "floordiv(" in text:
        _text(w, _FLOORDIV)
    if denormals.FLUSHED in text:
        _text(w, denormals.HELPER)
    if "MOST_FEATURES" in text:
        _text(w, convolution_sums.HELPER)
    for helper in (*head, *sizes, *c_math.used("".join((text, *own))), *own):
        _text(w, helper)
    for part in parts:
        w.line()
        for line, nodes in zip(part.text.splitlines(), part.nodes, strict=False):
            w.line(line, nodes)
    return w.source(plan.name, "c")


# Strategies whose functions call others, or are in vector types.
_WITH_HELPERS = (REGISTERS, STRATEGY, "direct")
# Of sizes, which are not negative.
_FLOORDIV = "static inline long floordiv(long a, long b) { return a / b; }"


def _text(w: Writer, text: str) -> None:
    w.lines("", *text.splitlines())


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


# -- the entry


def _entry(w: Writer, program: Program, segment: Segment, names: _Names, flushes: bool) -> None:
    parts = [segment.launches[i : i + _PART] for i in range(0, len(segment.launches), _PART)]
    heads = [f"{segment.entry}_part{i}" for i in range(len(parts))] if len(parts) > 1 else []
    sizes = program.symbols
    for head, launches in zip(heads, parts, strict=False):
        with _body(w, f"static __attribute__((noinline)) void {head}", launches, sizes):
            _calls(w, launches, _places(program), names)
    whole = _body(w, f"void {segment.entry}", segment.launches, sizes)
    with whole, denormals.flushed(w, flushes, _threads_of(segment)):
        if not heads:
            _calls(w, segment.launches, _places(program), names)
        given = ", ".join(("buffers, arena, threads", *_sized(sizes, "")))
        w.lines(*(f"{head}({given});" for head in heads))


def _threads_of(segment: Segment) -> str:
    """How many threads work for a segment at most."""
    launches = launches_within(segment.launches)
    several = any(x.side or x.schedule.parameters.get("threads") for x in launches)
    return "threads" if several else "1"


# Launches in one function: gcc's time grows with more than the length of a function.
_PART = 256


@contextmanager
def _body(
    w: Writer, head: str, launches: Sequence[Launch], sizes: Sequence[Symbol]
) -> Iterator[None]:
    origins = {o for x in launches_within(launches) for o in x.step.origins}
    params = ["void *const *buffers", "char *arena", "int threads"]
    params += _sized(sizes, "const long *", "long ")
    w.line(f"{head}({', '.join(params)}) {{", origins)
    with w.indent():
        yield
    w.line("}")


def _sized(sizes: Sequence[Symbol], places: str, size: str = "") -> list[str]:
    """What a program with symbolic sizes is given beside: where its temporaries lie, which depends
    on them, and the sizes."""
    return [f"{places}places", *(f"{size}{symbol}" for symbol in sizes)] if sizes else []


def _places(program: Program) -> Places:
    """Addresses: `buffers[2]`, or a place in the arena or in the workspace of a loop, which is a
    number where sizes are."""
    own = {name: f"buffers[{i}]" for i, name in enumerate(program.pointers)}
    own |= {name: own[given] for name, given in program.over.items()}
    bases = dict.fromkeys(program.offsets, "arena")
    bases |= {name: workspace for name, (workspace, _) in program.within.items()}
    numbers = (f"places[{i}]" for i in range(len(bases))) if program.symbols else program.places
    placed = zip(bases.items(), numbers, strict=True)
    return own | {name: f"(void *)({base} + {at})" for (name, base), at in placed}


def _calls(w: Writer, launches: Sequence[Launch], places: Places, names: _Names) -> None:
    for together in grouped(launches):
        if len(together) > 1:
            _side_by_side(w, together, places, names)
        else:
            _in_order(w, together, places, names)


def _side_by_side(w: Writer, launches: Sequence[Launch], places: Places, names: _Names) -> None:
    """Each part is called by one thread, or by the only one that there is."""
    parts: dict[int, list[Launch]] = {}
    for launch in launches:
        assert launch.side is not None
        parts.setdefault(launch.side.part, []).append(launch)
    count = len(parts)
    w.line(f"#pragma omp parallel for num_threads(threads < {count} ? threads : {count})")
    w.line(f"for (int part = 0; part < {count}; part++) {{")
    with w.indent():
        for number, own in enumerate(parts.values()):
            w.line(f"if (part == {number}) {{")
            with w.indent():
                _in_order(w, own, places, names)
            w.line("}")
    w.line("}")


def _in_order(w: Writer, launches: Sequence[Launch], places: Places, names: _Names) -> None:
    for launch in launches:
        with stamped(w, names.numbers.get(launch.step.name)):
            _CALLS[launch.schedule.strategy](w, launch, places, names)


def _call_kernel(w: Writer, launch: Launch, places: Places, names: _Names) -> None:
    kernel, schedule = kernel_of(launch)
    threads = _threads(kernel, schedule.threads_from)
    _call([b.name for b in kernel.buffers], w, launch, places, names, threads)


def _threads(kernel: Kernel, least: int) -> str:
    """How many share the work of a call: one where there are fewer than `least` points."""
    points = product(axis.extent for axis in kernel.axes)
    return f"{points} < {least} ? 1 : threads" if least else "threads"


def _call(
    buffers: Iterable[str],
    w: Writer,
    launch: Launch,
    places: Places,
    names: _Names,
    threads: str = "threads",
) -> None:
    """Of the function of a launch: with its buffers, the threads that share it, and its sizes."""
    arguments = [places[name] for name in buffers]
    arguments += [threads] if launch.schedule.parameters.get("threads") else []
    arguments += map(str, launch.step.symbols)
    call(w, names.functions[launch.step.name], arguments, launch.step.origins)


def _call_attention(w: Writer, launch: Launch, places: Places, names: _Names) -> None:
    _call([b.name for b in (*launch.step.inputs, *launch.step.outputs)], w, launch, places, names)


def _call_sort(w: Writer, launch: Launch, places: Places, names: _Names) -> None:
    _call([b.name for b in c_sort.buffers(launch)], w, launch, places, names)


def _call_direct(w: Writer, launch: Launch, places: Places, names: _Names) -> None:
    _call(c_direct.call(launch), w, launch, places, names)


def _call_product(w: Writer, launch: Launch, places: Places, names: _Names) -> None:
    _call([b.name for b in c_product.buffers(launch)], w, launch, places, names)


def _call_blas(w: Writer, launch: Launch, places: Places, names: _Names) -> None:
    step = launch.step
    assert isinstance(step, Matmul)
    own = [places[b.name] for b in (step.lhs, step.rhs, step.out)]
    c_matmul.emit(w, step, *own, threads=bool(launch.schedule.parameters.get("threads")))


def _control(w: Writer, launch: Launch, places: Places, names: _Names) -> None:
    assert isinstance(launch.step, Control)
    c_control.emit(w, launch.step, places, partial(_calls, w, names=names))


# What the entry says for each strategy that C runs.
_CALLS: dict[str, Callable[[Writer, Launch, Places, _Names], None]] = {
    **dict.fromkeys(BY_STRATEGY, _call_kernel),
    **dict.fromkeys(c_sort.STRATEGIES, _call_sort),
    REGISTERS: _call_product,
    "direct": _call_direct,
    "blas": _call_blas,
    "control": _control,
    STRATEGY: _call_attention,
}
