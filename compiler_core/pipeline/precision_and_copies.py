"""Changes of precision in what was captured, and launches that only move elements."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch

from compiler_core.capture.jax.capture import leaf_names
from compiler_core.capture.jax.statics import Statics
from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.graph import Operation
from compiler_core.ir.origins import captured
from compiler_core.ir.types import TensorType
from compiler_core.pipeline.context import Compilation
from compiler_core.plan.steps import COPY
from compiler_core.report import Finding
from compiler_core.wording import counted

_ROUNDED = "an autocast or a conversion rounds each element to {bits} bits, about {digits} digits"
_WIDENED = (
    "a conversion makes what follows compute in float64: twice the bytes, and slower arithmetic"
)
_LEAVE = "leave the conversion out, or make it where the values are made, if that is not meant"
_KEEP = "convert to float32 once, or keep the type"
_X64_OFF = "JAX has 64-bit types switched off, and rounds what it is given without a word"
_X64 = "set jax.config.update('jax_enable_x64', True), or give float32"
_MOVES = "what reads it wants its elements in another order, and nothing is computed on the way"
_ORDER = "store it in the order in which it is read, or move the transpose next to arithmetic"


def precision(c: Compilation) -> Iterator[Finding]:
    """An entry for each line that rounds to a shorter floating-point type, or goes to float64; and
    for arguments that JAX rounds."""
    assert c.captured is not None
    found: dict[tuple[int | None, str, str], list[tuple[TensorType, tuple[int, ...]]]] = {}
    for graph in c.captured.graphs:
        for o in graph.graph.walk():
            if len(o.operands) == 1 and len(o.types) == 1:
                was, now = o.operands[0].type.at_hint(), o.types[0].at_hint()
                if was.shape == now.shape and _is_change(was, now) and not _is_within(o):
                    line = next((c.line_of.get(i) for i in o.origins), None)
                    key = line, was.dtype.name, now.dtype.name
                    found.setdefault(key, []).append((now, tuple(o.origins)))
    for (line, before, after), tensors in found.items():
        yield _changed(line, before, after, tensors)
    if c.program.framework == "jax":
        yield from _arguments(c)


def _is_within(conversion: Operation) -> bool:
    """Whether it rounds what one captured operation has computed on its way, as `arange` does."""
    return conversion.operands[0].operation.origins == conversion.origins


def _is_change(was: TensorType, now: TensorType) -> bool:
    """Whether floating-point elements become shorter, or float64."""
    if not (was.dtype.is_float and now.dtype.is_float):
        return False
    before, after = (torch.finfo(TORCH[t.dtype.name]).bits for t in (was, now))
    return after < before or after > max(before, 32)


def _changed(
    line: int | None, before: str, after: str, tensors: list[tuple[TensorType, tuple[int, ...]]]
) -> Finding:
    of = torch.finfo(TORCH[after])
    narrower = of.bits < torch.finfo(TORCH[before]).bits
    digits = int(-np.log10(of.eps))
    why = _ROUNDED.format(bits=of.bits, digits=digits) if narrower else _WIDENED
    become = "become" if len(tensors) > 1 else "becomes"
    return Finding(
        "precision",
        "core",
        f"{counted(len(tensors), 'tensor')} of {before} {become} {after}",
        why,
        _LEAVE if narrower else _KEEP,
        line,
        nodes=sorted({i for _, ids in tensors for i in ids}),
        bytes=sum(t.bytes for t, _ in tensors),
    )


def _arguments(c: Compilation) -> Iterator[Finding]:
    """Arrays of numpy that JAX takes in a shorter type."""
    import jax

    statics = Statics(c.program)
    leaves = jax.tree.leaves((statics.args, statics.kwargs))
    for name, leaf in zip(leaf_names(c.program, statics), leaves, strict=True):
        if isinstance(leaf, np.ndarray | np.generic) and _is_cut(leaf, jax.typeof(leaf)):
            now = jax.typeof(leaf).dtype
            what = f"{name} is given as {leaf.dtype} and is {now} in the program"
            line, moved = c.program.called or c.program.line, leaf.size * now.itemsize
            yield Finding("precision", "core", what, _X64_OFF, _X64, line, bytes=moved)


def _is_cut(leaf: Any, aval: Any) -> bool:
    return bool(np.dtype(aval.dtype).itemsize < leaf.dtype.itemsize)


def copies(c: Compilation) -> Iterator[Finding]:
    """An entry for each launch of the plan that runs which computes nothing."""
    for part in c.parts:
        plan = part.running.plan
        for launch in plan.walk() if plan is not None else ():
            step = launch.step
            if step.library is None and tuple(step.ops) == (COPY,):
                reads, writes = step.traffic()
                line = next((c.line_of.get(i) for i in captured(step.origins)), None)
                what = f"{step.name} only moves elements"
                yield Finding(
                    "layout copy", "core", what, _MOVES, _ORDER, line,
                    nodes=list(captured(step.origins)), bytes=reads + writes, graph=part.id,
                )  # fmt: skip
