"""Each kind of check against a program of a report: whether it is passed, and what it saw."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from compiler_core import report
from webapp.workshops.exercises import kinds, reasons

_AGAIN = ("recompile", "traced again")
_TITLES: dict[str, str] = {info.id: info.title for info in report.COMPILERS}


class Seen(NamedTuple):
    """Whether a check is passed, and one sentence of what it saw; `pending`: that is not over
    yet."""

    passed: bool
    says: str
    pending: bool = False


class Kind(NamedTuple):
    """A kind of check: what it wants, in words; how it is judged; whether the run is to be
    measured."""

    wants: Callable[[Any], str]
    judge: Callable[[Any, report.Program, report.Options], Seen]
    measured: bool = False


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _named(compiler: str) -> str:
    return "the core" if compiler == "core" else _TITLES[compiler]


def _of(compiler: str) -> str:
    return "" if compiler == "core" else f" of {_TITLES[compiler]}"


def _figures(program: report.Program, compiler: str) -> report.CompilerSummary:
    unknown = report.Figure(why=f"{_TITLES[compiler]} was not asked for: tick it under Compilers")
    none = report.CompilerSummary(compiler, breaks=unknown, launches=unknown,
                                  library_calls=unknown, bytes=unknown)  # fmt: skip
    return next((each for each in program.compilers if each.compiler == compiler), none)


def _at_most(
    check: Any, figure: report.Figure, noun: str, why: Callable[[report.Program], str],
    program: report.Program,
) -> Seen:  # fmt: skip
    """A figure against the most that it may be, and why it is more."""
    if figure.value is None:
        return Seen(False, f"The {noun}s{_of(check.compiler)} are not known: {figure.why}.")
    count = _counted(figure.value, noun) + _of(check.compiler)
    passed = figure.value <= check.at_most
    # The core alone says why in the report itself.
    because = "" if passed or check.compiler != "core" else why(program)
    return Seen(passed, f"{count}{because}.")


def _kernels(check: kinds.Kernels, program: report.Program, _: report.Options) -> Seen:
    figure = _figures(program, check.compiler).launches
    return _at_most(check, figure, "kernel", reasons.launches, program)


def _graph_breaks(check: kinds.GraphBreaks, program: report.Program, _: report.Options) -> Seen:
    figure = _figures(program, check.compiler).breaks
    return _at_most(check, figure, "graph break", reasons.breaks, program)


def _library_calls(check: kinds.LibraryCalls, program: report.Program, _: report.Options) -> Seen:
    figure = _figures(program, check.compiler).library_calls
    return _at_most(check, figure, "library call", reasons.calls, program)


def _bytes(check: kinds.Bytes, program: report.Program, _: report.Options) -> Seen:
    figure = _figures(program, check.compiler).bytes
    if figure.value is None:
        return Seen(False, f"The bytes{_of(check.compiler)} are not known: {figure.why}.")
    passed = figure.value <= check.at_most
    because = "" if passed or check.compiler != "core" else reasons.launches(program)
    return Seen(passed, f"{figure.value:,} bytes are read and written{because}.")


def _recompiles(check: kinds.Recompiles, program: report.Program, _: report.Options) -> Seen:
    """What the report does not say: calling.py has it called."""
    return Seen(False, f'"{check.function}" is being called.', pending=True)


def again(findings: Sequence[report.Finding], at_most: int) -> Seen:
    """How much was compiled again, and why where that is too much."""
    found = [each for each in findings if each.kind in _AGAIN]
    count = sum(each.count for each in found)
    why = f": {reasons.short(found[0].what)}" if count > at_most else ""
    return Seen(count <= at_most, f"{_counted(count, 'recompile')}{why}.")


def _fewest(check: kinds.Recompiles) -> str:
    count = f"at most {_counted(check.at_most, 'recompile')}" if check.at_most else "no recompile"
    return f'{count} over {len(check.over)} calls of "{check.function}"'


def _speedup(check: kinds.Speedup, program: report.Program, _: report.Options) -> Seen:
    timing, title = program.timings.get(check.compiler), _named(check.compiler)
    named = f"{title[0].upper()}{title[1:]}"
    if timing is None:
        return Seen(False, f"{named} was not measured: tick Measure, and {title} under Compilers.")
    if timing.speedup is None or timing.verdict in ("wrong result", "not compiled"):
        return Seen(False, f"{named} has no speed-up: {timing.verdict or 'it is eager itself'}.")
    low, high = timing.speedup_low, timing.speedup_high
    between = "" if low is None or high is None else f", 95 % interval {low:.2f} to {high:.2f}"
    says = f"{named} is {timing.speedup:.2f}x as fast as eager{between}."
    return Seen(timing.speedup >= check.at_least, says)


def _error(check: kinds.Error, program: report.Program, _: report.Options) -> Seen:
    numerics = program.numerics.get(check.compiler)
    if numerics is None:
        return Seen(False, f"No output{_of(check.compiler)} was compared with float64.")
    found = numerics.max_rel_error
    if found is None:
        return Seen(False, f"An output{_of(check.compiler)} is not finite where float64's is.")
    says = f"The largest relative error{_of(check.compiler)} is {found:.2g}."
    return Seen(found <= check.at_most, says)


def _fused(check: kinds.Fused, program: report.Program, _: report.Options) -> Seen:
    mine, other = (_nodes(program, name) for name in (check.a, check.b))
    for name, nodes in ((check.a, mine), (check.b, other)):
        if not nodes and not _is_in_kernels(name, program):
            return Seen(False, _absent(name, program))
    for kernel in program.kernels:
        if kernel.library is None and report.ran(kernel, program):
            nodes = {*kernel.nodes}
            both = (name in kernel.ops or nodes & ids for name, ids in
                    ((check.a, mine), (check.b, other)))  # fmt: skip
            if all(both):
                return Seen(True, f'"{check.a}" and "{check.b}" are in kernel "{kernel.id}".')
    pair = f'"{check.a}" and "{check.b}" are in no kernel together'
    edges = [each for each in reasons.refusals(program) if _between(each, check, mine, other)]
    because = reasons.refused(program, edges) or reasons.launches(program)
    return Seen(False, f"{pair}{because}.")


def _operation(check: kinds.Operation, program: report.Program, _: report.Options) -> Seen:
    if _nodes(program, check.name) or _is_in_kernels(check.name, program):
        return Seen(True, f'"{program.name}" has the operation "{check.name}".')
    return Seen(False, _absent(check.name, program))


def _equal(check: kinds.Equal, program: report.Program, _: report.Options) -> Seen:
    """What the report does not say: comparing.py has it run."""
    return Seen(False, "It is being compared over hidden inputs.", pending=True)


def _between(
    refusal: report.FusionRefusal, check: kinds.Fused, mine: set[int], other: set[int]
) -> bool:
    """Whether a refused edge is about these two operations."""
    ends = {reasons.operation(refusal.from_), reasons.operation(refusal.to)}
    nodes = {*refusal.nodes}
    return bool((check.a in ends or nodes & mine) and (check.b in ends or nodes & other))


def _nodes(program: report.Program, name: str) -> set[int]:
    """The captured operations with this name: "aten.exp.default" is "aten.exp" and "exp" too."""
    return {node.id for node in program.nodes if name in names(node.op)}


def _is_in_kernels(name: str, program: report.Program) -> bool:
    """Whether one of the IR's operations has this name."""
    return any(name in each.ops for each in program.kernels)


def _absent(name: str, program: report.Program) -> str:
    """That there is no such operation; where Python decides, that it went one way alone."""
    if program.graph_breaks:
        ran = f'in what ran of "{program.name}", which is not all of it{reasons.breaks(program)}'
        return f'There is no operation "{name}" {ran}.'
    return f'There is no operation "{name}" in "{program.name}".'


def names(op: str) -> set[str]:
    """What an operation of the framework's is called: "aten._softmax.default" is "softmax" too."""
    parts = op.split(".")
    last = parts[1] if len(parts) > 1 else parts[0]
    return {op, ".".join(parts[:2]), last, last.lstrip("_")}


def _most(noun: str) -> Callable[[Any], str]:
    def wants(check: Any) -> str:
        count = _counted(check.at_most, noun)
        words = f"no {noun}" if check.at_most == 0 else f"at most {count}"
        return words + _of(check.compiler)

    return wants


KINDS: dict[type, Kind] = {
    kinds.Kernels: Kind(_most("kernel"), _kernels),
    kinds.GraphBreaks: Kind(_most("graph break"), _graph_breaks),
    kinds.LibraryCalls: Kind(_most("library call"), _library_calls),
    kinds.Bytes: Kind(lambda c: f"at most {c.at_most:,} bytes{_of(c.compiler)}", _bytes),
    kinds.Recompiles: Kind(_fewest, _recompiles),
    kinds.Speedup: Kind(
        lambda c: f"at least {c.at_least:g}x eager{_of(c.compiler)}", _speedup, measured=True
    ),
    kinds.Error: Kind(lambda c: f"relative error at most {c.at_most:g}{_of(c.compiler)}", _error),
    kinds.Fused: Kind(lambda c: f'"{c.a}" and "{c.b}" in one kernel', _fused),
    kinds.Operation: Kind(lambda c: f'the operation "{c.name}"', _operation),
    kinds.Equal: Kind(lambda _: "outputs equal to the reference's", _equal),
}  # fmt: skip
