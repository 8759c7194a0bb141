"""How JAX takes a program's arguments: traced or static, weakly typed, donated."""

import re
from typing import Any

import jax

from compiler_core import report
from compiler_core.capture.captured import Captured
from compiler_core.capture.jax.capture import leaf_names
from compiler_core.capture.jax.statics import Statics
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.signature import argument_names
from compiler_core.wording import counted

_COLUMNS = [
    report.Column("argument"),
    report.Column("type"),
    report.Column("taken as", about="A static one is part of what is compiled: for another value "
                  "it is compiled anew."),
    report.Column("weakly typed", about="A Python number takes the type of what it meets."),
    report.Column("donated", about="Its memory may be written over."),
]  # fmt: skip
_ALIAS = re.compile(r"tf\.aliasing_output = (\d+)")
_MAIN = re.compile(r"func\.func public @main\((.*)\) -> ")
_PARAMETER = re.compile(r"%arg(\d+): ")
_LONGEST = 60


def stage(program: FoundProgram, captured: Captured, closed: Any) -> report.Stage:
    """The stage with the table of arguments. `closed` is the jaxpr of the program's traced
    arguments."""
    statics = Statics(program)
    names = [*leaf_names(program, statics)]
    avals = [v.aval for v in closed.jaxpr.invars]
    given = _donated(program, statics, captured)
    rows = [_traced(n, a, given.get(i)) for i, (n, a) in enumerate(zip(names, avals, strict=True))]
    rows += [report.Row([n, f"{v!r:.{_LONGEST}}", "static", None, None]) for n, v in fixed(statics)]
    table = report.Table("arguments", _COLUMNS, rows)
    weak = sum(bool(getattr(a, "weak_type", False)) for a in avals)
    parts = [
        counted(len(avals), "traced argument"),
        f"{len(rows) - len(avals)} static",
        f"{weak} weakly typed",
        f"{len(given)} donated",
    ]
    return report.Stage("arguments", "ok", 0.0, summary=", ".join(parts), tables=[table])


def _traced(name: str, aval: Any, given: str | None) -> report.Row:
    weak = bool(getattr(aval, "weak_type", False))
    return report.Row([name, aval.str_short(short_dtypes=True), "traced", weak, given])


def fixed(statics: Statics) -> list[tuple[str, Any]]:
    """The static arguments of a call, by name."""
    known = argument_names(statics.program.fn)
    placed = [(_name_of(i, known), statics.program.args[i]) for i in statics.fixed]
    return [*placed, *statics.named.items()]


def _donated(program: FoundProgram, statics: Statics, captured: Captured) -> dict[int, str]:
    """What becomes of each leaf that is donated, by its number among the leaves."""
    if not program.donated:
        return {}
    known, count = argument_names(program.fn), len(program.args)
    named = {d if isinstance(d, str) else _name_of(d % count, known) for d in program.donated}
    free = [i for i in range(count) if i not in statics.fixed]
    places = tuple(p for p, i in enumerate(free) if _name_of(i, known) in named)
    jitted = jax.jit(
        captured.native, donate_argnums=places, donate_argnames=sorted(named & {*statics.kwargs}),
        keep_unused=True,
    )  # fmt: skip
    lowered = jitted.lower(*statics.args, **statics.kwargs)
    flags = [info.donated for info in jax.tree.leaves(lowered.args_info)]
    over = written_over(lowered.as_text())
    return {i: _donation(over.get(i)) for i, donated in enumerate(flags) if donated}


def _name_of(index: int, known: Any) -> str:
    return known[index] if index < len(known) else f"arg{index}"


def _donation(result: int | None) -> str:
    if result is None:
        return "in vain: no result has its shape and type"
    return f"written over by result {result}"


def written_over(text: str) -> dict[int, int]:
    """The result that is written over each donated parameter, by their positions, from StableHLO's
    text."""
    main = _MAIN.search(text)
    parts = _PARAMETER.split(main[1])[1:] if main else []
    parameters = zip(parts[::2], parts[1::2], strict=True)
    return {int(n): int(found[1]) for n, rest in parameters if (found := _ALIAS.search(rest))}
