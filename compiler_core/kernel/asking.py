"""Recursion of unlimited depth by a trampoline: a function that would call itself yields its
question instead and is sent the answer. Functions that wait for an answer are kept on a list in the
heap."""

from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

Q = TypeVar("Q")
A = TypeVar("A")
T = TypeVar("T")


def answered(first: Generator[Q, A, T], ask: Callable[[Q], Generator[Q, A, A]]) -> T:
    """Runs `first` to its end and returns its result. Each question that it yields is answered by
    the result of `ask(question)`, which may yield questions in turn."""
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
