"""Buffers whose names would clash with C's keywords or with names that the printer uses itself."""

import re
from dataclasses import replace
from typing import TypeVar

from compiler_core.codegen.c import mathematics as c_math
from compiler_core.kernel.effects import Effect, Phase, Store
from compiler_core.kernel.kernel import Def, Kernel, Load
from compiler_core.schedule.cpu.schedule import CpuSchedule

Part = TypeVar("Part", bound=Def | Effect)
_OWN = re.compile(
    r"[vir]\d.*|threads|block|end|low|high|piece|run|stop|lane|rest|row|left|upcast|packed|panel|first|b|j"
)
_KEYWORDS = frozenset({
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum",
    "extern", "float", "for", "goto", "if", "inline", "int", "long", "main", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union",
    "unsigned", "void", "volatile", "while",
})  # fmt: skip


def c_name(name: str) -> str:
    """The name of a buffer in C."""
    taken = name in _KEYWORDS or name in c_math.HELPERS or _OWN.fullmatch(name)
    return f"{name}_" if taken else name


def with_c_names(kernel: Kernel, schedule: CpuSchedule) -> tuple[Kernel, CpuSchedule]:
    """The kernel and its schedule with buffers renamed whose names are no identifiers in C."""
    taken = {b.name: c_name(b.name) for b in kernel.buffers if c_name(b.name) != b.name}
    if not taken:
        return kernel, schedule

    def renamed(x: Part) -> Part:
        if isinstance(x, Load | Store):
            return replace(x, buffer=taken.get(x.buffer, x.buffer))
        return x

    renamed_kernel = replace(
        kernel,
        buffers=tuple(
            replace(b, name=taken.get(b.name, b.name), over=taken.get(b.over, b.over))
            for b in kernel.buffers
        ),
        defs=tuple(renamed(d) for d in kernel.defs),
        phases=tuple(Phase(tuple(renamed(e) for e in s.effects)) for s in kernel.phases),
    )
    keep = tuple(replace(k, place=k.place and renamed(k.place)) for k in schedule.keep)
    streamed = tuple(taken.get(name, name) for name in schedule.streamed)
    return renamed_kernel, replace(schedule, keep=keep, streamed=streamed)
