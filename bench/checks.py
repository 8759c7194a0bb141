"""An exercise of the course at a seat of a workshop: its answer, made a text of this seat's own, is
run as the exercise calls it and held against all that it wants."""

import asyncio
import itertools
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

COURSE = "why-not-faster"
_FOLDER = Path(__file__).parent.parent / "webapp" / "workshops" / "course" / COURSE / "exercises"
# The page asks so often while something is compared.
_AGAIN_S = 1.0

# Asks the API of the workshop: the method, the path in the room, what is sent.
Ask = Callable[[str, str, object], Awaitable[Any]]


class Checked(NamedTuple):
    """What the checks of an answer came to and after how many seconds; of one that did not pass
    what was seen."""

    exercise: str
    passed: bool
    s: float
    saw: str = ""


def answers(seat: int, seed: int) -> Iterator[tuple[str, str]]:
    """The exercises that a seat solves, one after the other and without end: the name and the
    answer of each, which nobody else has written so."""
    found = [(each.name, (each / "answer.py").read_text("utf-8")) for each in _FOLDER.iterdir()]
    random.Random(f"{seed} {seat}").shuffle(found)
    for at, (name, answer) in enumerate(itertools.cycle(found)):
        yield name, f"{answer}\n# {at} of seat {seat}\n"


async def checked(
    ask: Ask, ended: Callable[[str], Awaitable[Any]], exercise: str, text: str
) -> Checked:
    """What a person sees of a check, as the page asks for it; `ended` returns when a run has.
    Raises OSError where the API refuses."""
    start = time.perf_counter()
    run = (await ask("POST", f"exercises/{exercise}/runs", {"source": text}))["id"]
    await ended(run)
    while (attempt := await ask("POST", f"exercises/{exercise}/attempts", {"run": run}))["pending"]:
        await asyncio.sleep(_AGAIN_S)
    saw = "; ".join(each["says"] for each in attempt["results"] if not each["passed"])
    return Checked(exercise, attempt["passed"], time.perf_counter() - start, saw)
