"""Recursion without a limit of depth: what would call itself yields a question instead, and is sent
the answer. Those that wait are on a stack of their own (a trampoline)."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


def answered(first: Generator[Q, A, T], ask: Callable[[Q], Generator[Q, A, A]]) -> T:
    """What `first` returns, where `ask` begins to answer a question of its, or of one that it
    waits for."""
    waiting: list[Generator[Q, Any, Any]] = [first]
    answer: Any = None
    while waiting:
        try:
            question = waiting[-1].send(answer)
        except StopIteration as done:
            answer = done.value
            waiting.pop()
        else:
            answer = None
            waiting.append(ask(question))
    return cast(T, answer)
