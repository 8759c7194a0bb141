"""TorchScript opened up: the graph of the source, the graph of one call, and what that froze."""

import linecache
import re
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch

from compiler_core import report
from compiler_core.interop.private import pytree
from compiler_core.reference.elapsed import ms_since
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.subject import Item, Look, Subject
from compiler_core.reference.torchscript import frozen, graph_text
from compiler_core.reference.torchscript.refused import refused
from compiler_core.reference.torchscript.visits import counted_lines
from compiler_core.snippet.source import FILE, line_of
from compiler_core.wording import counted

_AT = re.compile(rf'File "{re.escape(FILE)}", line (\d+)')


def look(subject: Subject) -> Look:
    """The stages of scripting and tracing, or why neither works."""
    if subject.framework != "torch":
        return "TorchScript compiles PyTorch programs alone"
    return _look(subject)


def _look(subject: Subject) -> Iterator[Item]:
    lines = SourceLines(subject.captured.nodes)
    yield from _script(subject, lines)
    yield from _trace(subject, lines)


def _script(subject: Subject, lines: SourceLines) -> Iterator[Item]:
    begin = time.perf_counter()
    try:
        scripted = _quiet(lambda: torch.jit.script(subject.program.fn))
        text = str(scripted.inlined_graph)
    except Exception as error:
        yield from _failed("script", error, begin)
        return
    shown = graph_text.artifact(text, lines, columns=True)
    loops, branches = text.count("prim::Loop("), text.count("prim::If(")
    summary = f"{counted(loops, 'loop')} and {counted(branches, 'branch')} as the source has them"
    yield report.Stage("script", "ok", ms_since(begin), [shown], summary=summary)


def _trace(subject: Subject, lines: SourceLines) -> Iterator[Item]:
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as warned, counted_lines() as visits:
            warnings.simplefilter("always")
            traced = _traced(subject)
        text = str(traced.inlined_graph)
    except Exception as error:
        yield from _failed("trace", error, begin)
        return
    found = frozen.of_warnings(warned)
    every = frozen.together(found, frozen.of_source(_source(), visits))
    shown = graph_text.artifact(text, lines, columns=False)
    tables = [frozen.table(every)] if every else []
    summary = f"{len(every)} of the source frozen" if every else "nothing of the source is frozen"
    yield report.Stage("trace", "ok", ms_since(begin), [shown], summary=summary, tables=tables)
    yield from frozen.findings(every)


class _Flat(torch.nn.Module):
    """The program over the tensors of its call alone: a trace takes no others."""

    def __init__(self, fn: Callable[..., Any], leaves: list[Any], structure: Any) -> None:
        super().__init__()
        self.fn, self._leaves, self._structure = fn, leaves, structure

    def forward(self, *tensors: torch.Tensor) -> Any:
        given = iter(tensors)
        leaves = [next(given) if isinstance(x, torch.Tensor) else x for x in self._leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self._structure)
        return self.fn(*args, **kwargs)


def _traced(subject: Subject) -> Any:
    leaves, structure = pytree.tree_flatten((subject.program.args, dict(subject.program.kwargs)))
    tensors = tuple(x.detach().clone() for x in leaves if isinstance(x, torch.Tensor))
    flat = _Flat(subject.program.fn, leaves, structure)
    flat.train(getattr(subject.program.fn, "training", True))
    # A second trace, to compare, would say every warning again; a strict one refuses a dict that
    # the program gives.
    return torch.jit.trace(flat, tensors, check_trace=False, strict=False)


def _quiet(make: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def _failed(way: str, error: Exception, begin: float) -> Iterator[Item]:
    """Why, and the snippet's line if torch names one."""
    words, found = refused(error), _AT.findall(str(error))
    line = int(found[0]) if found else line_of(error)
    yield report.Stage(way, "failed", ms_since(begin), summary=words.why)
    what = f"torch.jit.{way} cannot take the program"
    yield report.Finding(
        "not compiled", "torchscript", what, words.why, words.remedy, line, raw=str(error)
    )


def _source() -> str:
    return "".join(linecache.getlines(FILE))
