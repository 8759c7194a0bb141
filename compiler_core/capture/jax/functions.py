"""The calls of the snippet's functions that equations belong to, as paths: "block/3/attention".

JAX keeps the place in the stack at which an equation was bound, but not which of several calls from
that place it was, as in a loop over blocks. A new call is assumed where equations are back at the
place of the current call's first one. The equations of a gradient come in the opposite order, at
the places of what they differentiate.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from msgspec import structs

from compiler_core.capture.jax.private import is_gradient, stack_of
from compiler_core.report import CapturedOp
from compiler_core.snippet.source import is_own


@dataclass
class Call:
    """One call of a function, and the calls within it."""

    name: str = ""
    around: "Call | None" = None
    # Its number among the calls of this name in the surrounding call.
    number: int = 0
    first: int = 0
    last: int = 0
    # The last call made by each instruction, by instruction and code object.
    latest: dict[tuple[int, int], "Call"] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def inner(self, at: int, code: CodeType, place: int, sign: int) -> "Call":
        """The call within this one of the function with `code`, made by the instruction `at`, to
        which an equation at the instruction `place` of that function belongs. It is a new call if
        `place` is back at that of the last call's first equation; `sign` is -1 where equations come
        in the opposite order."""
        key = at, id(code)
        known = self.latest.get(key)
        if known is None or _is_over(known, place, sign):
            known = self.latest[key] = self._begun(_name_of(code), place)
        known.last = place
        return known

    def _begun(self, name: str, place: int) -> "Call":
        number = self.counts.get(name, 0)
        self.counts[name] = number + 1
        return Call(name, self, number, place, place)


def _is_over(call: Call, place: int, sign: int) -> bool:
    return sign * call.last > sign * call.first >= sign * place


class Functions:
    """For each captured operation of one walk over a jaxpr, the call that it belongs to."""

    def __init__(self) -> None:
        self._forward, self._backward = Call(), Call()
        # Whether the equation whose program is walked through computes a gradient.
        self._is_gradient = False
        # Of the library function that is walked through the call of whoever called it: JAX traces
        # such functions once.
        self._outer: tuple[Call, bool] | None = None
        self._calls: dict[int, tuple[Call, bool]] = {}

    def note(self, number: int, eqn: Any) -> None:
        """Records that the operation `number` was captured from this equation."""
        self._calls[number] = self._around(eqn)

    @contextmanager
    def below(self, eqn: Any, is_library: bool) -> Iterator[None]:
        """Context for walking through the jaxpr that an equation runs; `is_library`: the function
        is a library's, not the snippet's."""
        before = self._outer, self._is_gradient
        if is_library:
            self._outer = self._around(eqn)
        self._is_gradient = self._is_gradient or is_gradient(eqn)
        yield
        self._outer, self._is_gradient = before

    def named(self, operations: list[CapturedOp]) -> list[CapturedOp]:
        """The operations with their calls as scopes, where the program does not name scopes
        itself."""
        if any(operation.scope for operation in operations):
            return operations
        return [structs.replace(o, scope=_path_of(*self._calls[o.id])) for o in operations]

    def _around(self, eqn: Any) -> tuple[Call, bool]:
        if self._outer is not None:
            return self._outer
        is_backward = self._is_gradient or is_gradient(eqn)
        call, sign = (self._backward, -1) if is_backward else (self._forward, 1)
        at = 0
        for code, place in reversed(stack_of(eqn)):
            if is_own(code.co_filename):
                call, at = call.inner(at, code, place, sign), place
        return call, is_backward


def _path_of(call: Call, is_backward: bool) -> str:
    """The path of a call, with the numbers of those that are several; those of a gradient, which
    are met from the last on, counted from the end. Names without one of their own are left out."""
    found: list[str] = []
    while call.around is not None:
        count = call.around.counts[call.name]
        number = count - 1 - call.number if is_backward else call.number
        own = [call.name, *([str(number)] if count > 1 else [])] if call.name else []
        found = [*own, *found]
        call = call.around
    return "/".join(found)


def _name_of(code: CodeType) -> str:
    """What a person calls it: of a method that Python calls itself its class; blank where it has no
    name."""
    *around, name = code.co_qualname.split(".")
    if name.startswith("__") and around:
        return around[-1]
    return "" if name.startswith("<") else name
