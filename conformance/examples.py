"""Random examples by Hypothesis: the same at every run, and made small where one of them is bad."""

import random
import time
from collections.abc import Callable
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from conformance import chance

T = TypeVar("T")
_BIT = st.booleans()
# Makes an example of random choices; None where they do not lead to one.
Make = Callable[[random.Random], T | None]


class _Enough(BaseException):
    """The time is over."""


def drawn(make: Make[T], name: str, count: int) -> list[T]:
    """Up to `count` examples, which a name stands for."""
    found: list[T] = []

    def note(example: T | None) -> None:
        if example is not None:
            found.append(example)

    _run(make, name, count, note, (Phase.generate,))
    return found


def shrunk(
    make: Make[T], name: str, count: int, number: int, bad: Callable[[T], bool], seconds: float
) -> T:
    """The smallest bad example that is found in so many seconds by leaving out and replacing
    choices of number `number` of those drawn; that itself where nothing smaller is bad."""
    met, smallest = 0, drawn(make, name, count)[number]
    until = time.monotonic() + seconds

    def try_it(example: T | None) -> None:
        nonlocal met, smallest
        if example is None:
            return
        met += 1
        if time.monotonic() > until:
            raise _Enough
        if met > number and bad(example):
            smallest = example
            raise AssertionError

    try:
        _run(make, name, count, try_it, (Phase.generate, Phase.shrink))
    except (AssertionError, _Enough):
        pass
    return smallest


def _run(
    make: Make[T], name: str, count: int, use: Callable[[T | None], None], phases: tuple[Phase, ...]
) -> None:
    @seed(chance.number(name))
    @settings(
        max_examples=count, database=None, deadline=None, phases=phases,
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False, print_blob=False,
    )  # fmt: skip
    @given(st.composite(lambda draw: make(_Bits(draw)))())
    def each(example: T | None) -> None:
        use(example)

    each()


class _Bits(random.Random):
    """Choices made of drawn bits. Of numbers Hypothesis prefers those that it finds in the modules
    that are loaded, and so would draw others from one process to another."""

    def __init__(self, draw: st.DrawFn) -> None:
        super().__init__(0)
        self._draw = draw

    def getrandbits(self, k: int) -> int:
        bits = 0
        for _ in range(k):
            bits = 2 * bits + self._draw(_BIT)
        return bits

    def random(self) -> float:
        return self.getrandbits(8) / 2**8
