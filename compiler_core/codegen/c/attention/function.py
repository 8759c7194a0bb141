"""Attention in C: the functions of its launches (schedule/cpu/attention.py)."""

import re
from dataclasses import replace

from compiler_core.codegen.c.attention.rows import Rows
from compiler_core.codegen.c.attention.tiles import Tiles
from compiler_core.codegen.c.signature import param, signature
from compiler_core.codegen.writer import Source, Writer
from compiler_core.plan.attention.step import Attention
from compiler_core.plan.plan import Launch
from compiler_core.schedule.cpu.attention import STRATEGY, CpuAttentionSchedule

__all__ = ["STRATEGY", "function", "shape"]


def shape(launch: Launch) -> object:
    """A key that is equal for launches whose functions differ only in names; such launches share
    one function."""
    step = _step(launch)
    names = [step.name, *(b.name for b in (*step.inputs, *step.outputs))]
    numbers = {name: f"#{i}" for i, name in enumerate(names)}
    return re.sub(r"\w+", lambda word: numbers.get(word[0], word[0]), _one(launch).text)


def function(launches: list[Launch]) -> Source:
    """The function that `launches`, with equal keys, share; each line has the origins of all of
    them."""
    sources = [_one(launch) for launch in launches]
    nodes = zip(*(source.nodes for source in sources), strict=True)
    united = tuple(tuple(sorted({o for line in like for o in line})) for like in nodes)
    return replace(sources[0], nodes=united)


def _step(launch: Launch) -> Attention:
    assert isinstance(launch.step, Attention)
    return launch.step


def _one(launch: Launch) -> Source:
    w, step, schedule = Writer(), _step(launch), launch.schedule
    assert isinstance(schedule, CpuAttentionSchedule)
    w.line(f"// attention: {schedule.reason}", step.origins)
    params = [param(b) for b in (*step.inputs, *step.outputs)]
    if schedule.threads:
        params.append("int threads")
    params += [f"long {symbol}" for symbol in step.whole.symbols]
    signature(w, f"static void {step.name}", params, step.origins)
    with w.indent():
        (Rows if schedule.rows == 1 else Tiles)(w, step, schedule).run()
    w.line("}")
    return w.source(step.name, "c")
