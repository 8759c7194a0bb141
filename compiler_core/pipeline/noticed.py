"""Entries of the why-list that a run has without looking into any compiler."""

from collections import Counter
from collections.abc import Iterator

from compiler_core import report
from compiler_core.pipeline.context import Compilation
from compiler_core.pipeline.host_syncs import host_syncs
from compiler_core.pipeline.precision_and_copies import copies, precision
from compiler_core.pipeline.traffic import bytes_moved
from compiler_core.reference.subject import Subject
from compiler_core.remedy.loops import lines_of, loops
from compiler_core.remedy.text import Text
from compiler_core.report import Finding
from compiler_core.wording import counted

# The inside that graph breaks and failures to trace are attributed to.
_TRACERS: dict[report.Framework, str] = {"torch": "dynamo", "jax": "jax"}
_BROKEN = "the graph breaks here: Python runs this line itself"
_BROKEN_WITHOUT = "without fullgraph=True, the graph breaks here: Python runs this line itself"
# The kinds of entries that report the end of a graph.
_TOLD = ("graph break", "failed")
# Loops of fewer iterations are not listed.
_LEAST_TURNS = 4
_UNROLLED = (
    "Python runs the loop while the program is traced, so each turn brings operations of its own: "
    "more to compile, and small kernels"
)
# By framework: the kind of entry for a later call that needs a compilation of its own, why, and
# what to do.
_AGAIN: dict[report.Framework, tuple[report.FindingKind, str, str]] = {
    "torch": (
        "recompile",
        "what was compiled before holds for other arguments alone, which its guards check",
        "give sizes that vary a symbol (dynamic=True, torch._dynamo.mark_dynamic), and pass "
        "numbers that vary as tensors",
    ),
    "jax": (
        "traced again",
        "jax.jit compiles anew for each shape, dtype and static value",
        "pad to a few sizes, and pass numbers that vary as arrays, not as static arguments",
    ),
}
_SYMBOLS = "; what changed has a symbol from here on, and other sizes need no further one"
_VMAP = "map what is done to one row over all of them (torch.vmap, jax.vmap)"


# The stage's name.
NAME = "why"


def wants_why(c: Compilation) -> bool:
    """Whether there are entries to add: what the snippet's calls have shown, what torch.compile
    raises for the program, and everything else if the options request the list."""
    return wants_all(c) or bool(c.program.recompiled) or _is_broken_whole(c)


def wants_all(c: Compilation) -> bool:
    """Whether the options request the list."""
    return bool(c.options.insides) or c.options.trials


def notice(c: Compilation) -> None:
    """Adds these entries to the why-list."""
    c.add_findings("core", list(_again(c)))
    if _is_broken_whole(c):
        c.add_findings("dynamo", list(_in_one_graph(c)))
        c.add_findings("core", list(_breaks(c)))
    if wants_all(c):
        notice_program(c)


def notice_program(c: Compilation) -> None:
    """Adds the entries that the program itself gives rise to, whatever the options request."""
    for each in _failed(c):
        c.add_findings(each.compiler, [each])
    for each in _breaks(c):
        c.add_findings(each.compiler, [each])
    if c.captured is not None:
        c.add_findings("core", [*_unrolled(c), *host_syncs(c), *precision(c), *copies(c)])


def _is_broken_whole(c: Compilation) -> bool:
    """Whether the snippet wants in one graph (fullgraph=True) what the core has several of."""
    broken = c.captured is not None and bool(c.captured.graph_breaks)
    return broken and bool(c.program.options.get("fullgraph"))


def _in_one_graph(c: Compilation) -> Iterator[Finding]:
    """What torch.compile raises of that, unless the look into TorchDynamo has told it."""
    from compiler_core.reference.dynamo.in_one_graph import raised_in_one_graph

    if c.captured is None or any(f.kind == "failed" for f in c.findings.get("dynamo", ())):
        return
    found = raised_in_one_graph(Subject(c.program, c.captured, c.options))
    if found is not None:
        yield found


def _again(c: Compilation) -> Iterator[Finding]:
    """The later calls that needed a compilation, unless the tracer's own account of them is
    there, or nothing was compiled at all."""
    if c.captured is not None and not c.captured.graphs:
        return
    kind, why, remedy = _AGAIN[c.program.framework]
    if any(f.kind == kind for f in c.findings.get(_TRACERS[c.program.framework], ())):
        return
    for each in c.program.recompiled:
        what = f"{c.program.name} is compiled again: {each.change}"
        yield Finding(
            kind, "core", what, why + (_SYMBOLS if each.symbols else ""), remedy, each.line
        )


def _failed(c: Compilation) -> Iterator[Finding]:
    """A program that cannot be traced."""
    failure = c.failure
    if c.captured is None and failure is not None:
        # Without a traceback it is the core that refuses what the tracer may well take.
        who = _TRACERS[c.program.framework] if failure.traceback else "core"
        known = c.findings.get(who, ())
        if any(f.kind == "failed" and f.line == failure.line for f in known):
            return
        yield Finding("failed", who, failure.message, remedy=failure.remedy, line=failure.line)


def _breaks(c: Compilation) -> Iterator[Finding]:
    """Those of the captured graphs that nobody has told of. Where the tracer was looked into, it
    goes on there, as with what the snippet has set, and the core alone does not; nor does the
    tracer get there where it raises."""
    tracer = _TRACERS[c.program.framework]
    ends = [f for who in (tracer, "core") for f in c.findings.get(who, ()) if f.kind in _TOLD]
    raises = _is_broken_whole(c) and any(f.kind == "failed" for f in ends)
    found = {f.line for f in ends}
    who = "core" if raises or tracer in c.figures else tracer
    for each in c.captured.graph_breaks if c.captured is not None else ():
        if each.line not in found:
            what = _BROKEN_WITHOUT if raises else _BROKEN
            yield Finding("graph break", who, what, each.reason, each.remedy, each.line)


def _unrolled(c: Compilation) -> Iterator[Finding]:
    """Loops of the snippet whose body was traced several times."""
    if c.captured is None or c.origin is None:
        return
    try:
        text = Text.parse(c.origin.text)
    except SyntaxError:  # a snippet that is no Python
        return
    for loop in loops(text):
        lines = lines_of(loop)
        nodes = [n for n in c.captured.nodes if n.line in lines]
        turns = max(Counter((n.op, n.line, n.column) for n in nodes).values(), default=0)
        if turns >= _LEAST_TURNS:
            what = (
                f"the loop is {counted(turns, 'turn')} long in the graph: "
                f"{counted(len(nodes), 'operation')}"
            )
            ids = [n.id for n in nodes]
            yield Finding(
                "unrolled", "core", what, _UNROLLED, _VMAP, loop.lineno, loop.col_offset,
                nodes=ids, bytes=bytes_moved(c, ids),
            )  # fmt: skip
