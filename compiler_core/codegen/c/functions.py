"""The C functions of a plan's launches. Launches that differ only in their buffers share one, whose
lines have the origins of all of them."""

from collections.abc import Callable
from types import ModuleType

from compiler_core.codegen.c import direct as c_direct
from compiler_core.codegen.c import sort as c_sort
from compiler_core.codegen.c.alike import shape_of, united
from compiler_core.codegen.c.attention import function as c_attention
from compiler_core.codegen.c.body import Body
from compiler_core.codegen.c.columns import columns
from compiler_core.codegen.c.flat import flat
from compiler_core.codegen.c.names import with_c_names
from compiler_core.codegen.c.product import function as c_product
from compiler_core.codegen.c.rows import rows
from compiler_core.codegen.c.scatter import scatter
from compiler_core.codegen.c.segments import Program, launches_of
from compiler_core.codegen.c.signature import params, signature
from compiler_core.codegen.c.split import split
from compiler_core.codegen.writer import Source, Writer
from compiler_core.plan.cpu.libraries import REGISTERS
from compiler_core.plan.cpu.loops import kernel_of
from compiler_core.plan.plan import Launch
from compiler_core.schedule.cpu.schedule import CpuSchedule

# The loop nest of each strategy.
BY_STRATEGY: dict[str, Callable[[Body, CpuSchedule], None]] = {
    "flat": flat,
    "rows": rows,
    "columns": columns,
    "split": split,
    "scatter": scatter,
}

# By strategy: launches with equal `shape` share a `function` of the module.
TEMPLATES: dict[str, ModuleType] = {
    **dict.fromkeys(c_sort.STRATEGIES, c_sort),
    REGISTERS: c_product,
    "direct": c_direct,
    c_attention.STRATEGY: c_attention,
}


def functions(program: Program) -> tuple[list[Source], dict[str, str]]:
    """One function for each distinct launch; and the name of the function of each step, by its
    name."""
    kernels: dict[object, list[Launch]] = {}
    templates: dict[object, list[Launch]] = {}
    for launch in launches_of(s for each in program.walk() for s in each.segments if s.entry):
        strategy = launch.schedule.strategy
        if strategy in BY_STRATEGY:
            kernels.setdefault(_shape(launch), []).append(launch)
        elif strategy in TEMPLATES:
            shape = TEMPLATES[strategy].shape(launch)
            templates.setdefault((strategy, shape), []).append(launch)
    together = (*kernels.values(), *templates.values())
    names = {x.step.name: alike[0].step.name for alike in together for x in alike}
    own = [TEMPLATES[x[0].schedule.strategy].function(x) for x in templates.values()]
    return [*own, *(_function(alike) for alike in kernels.values())], names


def _shape(launch: Launch) -> object:
    """A key that is equal for launches that can share a function."""
    kernel, schedule = kernel_of(launch)
    numbers = {b.name: f"#{i}" for i, b in enumerate(kernel.buffers)}
    return *shape_of(kernel, numbers), schedule.strategy, *schedule.parameters.items()


def _function(launches: list[Launch]) -> Source:
    """The function of launches with equal keys."""
    _, schedule = kernel_of(launches[0])
    kernel, schedule = with_c_names(united([kernel_of(x)[0] for x in launches]), schedule)
    w = Writer()
    w.line(f"// {kernel.kind}: {schedule.reason}", kernel.origins)
    given = params(kernel.buffers)
    if schedule.threads:
        given.append("int threads")
    given += [f"long {symbol}" for symbol in kernel.symbols]
    signature(w, f"static void {kernel.name}", given, kernel.origins)
    with w.indent():
        BY_STRATEGY[schedule.strategy](Body(w, kernel), schedule)
    w.line("}")
    return w.source(kernel.name, "c")
