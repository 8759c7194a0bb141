"""Whether a function gives what the reference does: the reference is run on the same inputs as the
function's program, which is compiled by itself where that can be done (alone.py). Both are runs as
any other, of the sandbox and in their turn; nobody is given their ids."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from compiler_core import report
from webapp.apart import asking as apart
from webapp.errors import Refusal
from webapp.runs import views
from webapp.runs.models import FINAL, Run
from webapp.workshops.exercises import alone, asking, judged, outputs, trying
from webapp.workshops.exercises.judging import Seen
from webapp.workshops.exercises.kinds import Equal
from webapp.workshops.exercises.models import Exercise
from webapp.workshops.models import Seat

_TITLES = {each.id: each.title for each in report.COMPILERS if each.role == "reference"}


class Pair(NamedTuple):
    """The ids of the two runs; `alone`: of the program by itself (alone.py) and not of somebody's
    text."""

    mine: str
    reference: str
    alone: bool = False


def begin(seat: Seat, exercise: Exercise, _: Equal, run: Run, hopeful: bool) -> Pair:
    """Asks for the runs: of an attempt that is `hopeful`, for no other check fails, also for that
    of the program by itself, if it can be had. Raises Refused where there is no room for them."""
    options, whose = msgspec.convert(run.options, report.Options), f"reference for seat {seat.pk}"
    composed = alone.snippet(run, options.inputs, exercise.right) if hopeful else None
    seed = options.seed if composed is None else trying.unheard(exercise, run)
    # What the framework itself gives is right.
    plain = report.Options(inputs=options.inputs, seed=seed, measure=False, compilers=())
    reference = asking.ask(exercise, exercise.right, plain, whose, "reference")
    if composed is None:
        return Pair(run.pk, reference)
    ours = msgspec.structs.replace(plain, compilers=("core",))
    return Pair(asking.ask(exercise, composed, ours, whose, "alone"), reference, alone=True)


def seen(exercise: Exercise, check: Equal, of: Sequence[Any]) -> Seen | None:
    """What came of it; None while one of the runs goes on."""
    pair = Pair(*of)
    runs = {run.pk: run for run in Run.objects.filter(pk__in=pair[:2])}
    if any(run.state not in FINAL for run in runs.values()):
        return None
    mine, right = (_call_outputs(runs.get(each)) for each in pair[:2])
    apart_from_text = ", compiled by itself, apart from your text" if pair.alone else ""
    if isinstance(right, str):
        return Seen(False, f"The reference came to nothing, tell whoever leads: {right}.")
    if isinstance(mine, str):
        return Seen(False, f"Over hidden inputs it came to nothing: {mine}{apart_from_text}.")
    for compiler, each in mine.items():
        if wrong := outputs.difference(each, right["eager"], check.tolerance):
            by = f", compiled by {_TITLES[compiler]}," if compiler in _TITLES else ""
            says = f"Over hidden inputs it is{by} not the reference: {wrong}{apart_from_text}."
            return Seen(False, says)
    if pair.alone and (figures := _figures(exercise, runs[pair.mine])):
        says = f"Compiled by itself, apart from your text, it has other figures: {figures}"
        return Seen(False, says)
    over = f"Over {len(right['eager'])} sets of hidden inputs it is equal to the reference"
    return Seen(True, f"{over}{apart_from_text}.")


def _figures(exercise: Exercise, run: Run) -> str:
    """Why the program does not pass by itself."""
    wanted = trying.defined(exercise)
    if isinstance(wanted, Refusal):
        return wanted.message
    given = msgspec.json.encode(wanted), views.stored(run)
    return apart.done(judged.wrong, *given).decode()


def _call_outputs(run: Run | None) -> judged.Outputs | str:
    """The outputs by each compiler, or why there are none, in words."""
    if run is None:
        return "the run is gone, check another one"
    said = msgspec.json.decode(
        apart.done(judged.call_outputs, views.stored(run)), type=judged.CallOutputs
    )
    return said.why if said.outputs is None else said.outputs
