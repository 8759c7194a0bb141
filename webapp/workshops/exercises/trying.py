"""The run by which somebody's text is checked: called as the exercise says, on numbers that follow
from the text and from a secret of the server's. The figures that count and the outputs that are
compared are of this one run, so that there is no other call to be told apart from it; and whoever
changes the text to suit its numbers has other numbers."""

from typing import Any

import msgspec
from django.utils.crypto import salted_hmac

from compiler_core import report
from webapp.errors import Refusal
from webapp.runs import create
from webapp.runs.models import Run
from webapp.runs.wire import NewRun
from webapp.workshops.exercises import definition
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.judging import KINDS
from webapp.workshops.exercises.models import Exercise

# What may be more in a run that is checked than the exercise asks for.
_MORE = ("measure", "insides", "compilers", "timeline", "trials", "trials_first")
_SALT = "webapp.workshops.exercises.seed"


def defined(exercise: Exercise) -> Definition | Refusal:
    """What the exercise wants; a refusal for one of a form that is read no more."""
    return definition.read(exercise.toml)


def begin(
    exercise: Exercise, source: str, owner: str, editor: str, address: str
) -> tuple[Run, bool] | Refusal:
    """The run, asked for by the digest `owner` of a person's token and from the `address` of that
    digest, and whether it was there already. Raises Refused where there is no room for it."""
    wanted = defined(exercise)
    if isinstance(wanted, Refusal):
        return wanted
    request = NewRun(source, options(exercise, wanted, source), editor=editor)
    return create.create(request, owner, address)


def options(exercise: Exercise, wanted: Definition, source: str) -> report.Options:
    """What the run is asked for: what the checks read and nothing else, since a whole room checks
    at once; by what the room has pinned, and else by what is usual."""
    asked = needs(wanted) | {"inputs": wanted.call, "seed": seed(exercise, source)}
    return msgspec.convert(asked | exercise.workshop.options, report.Options)


def needs(wanted: Definition) -> dict[str, Any]:
    """Of the options `measure`, `insides` and `compilers`: all that the checks read, and nothing
    that none of them does."""
    kinds = [KINDS[type(check)] for check in wanted.check]
    named = {getattr(check, "compiler", "") for check in wanted.check}
    compilers = [each.id for each in report.CHOICES if each.role == "own" or each.id in named]
    measured = any(kind.measured for kind in kinds)
    return {"measure": measured, "insides": [], "compilers": compilers}


def seed(exercise: Exercise, source: str) -> int:
    """The same for all who try the same text: of thirty people that is one run."""
    return int(salted_hmac(_SALT, f"{exercise.pk} {source}").hexdigest()[:13], 16)


def unheard(exercise: Exercise, run: Run) -> int:
    """A seed that no process of somebody's text has, for what is made of this run afterwards."""
    return int(salted_hmac(f"{_SALT}.unheard", f"{exercise.pk} {run.pk}").hexdigest()[:13], 16)


def is_other(exercise: Exercise, wanted: Definition, run: Run) -> str:
    """Why this run is not the one by which the exercise is checked; blank if it is."""
    given = msgspec.convert(run.options, report.Options)
    asked = options(exercise, wanted, run.source)
    if given.inputs != asked.inputs:
        other = f"called with {given.inputs}" if given.inputs else "called as the text itself does"
        return f"This run was {other}, and the exercise is about {wanted.call}: press Check."
    same = {name: getattr(asked, name) for name in _MORE}
    if msgspec.structs.replace(given, **same) != asked:
        return "This run was made with other options than the exercise's: press Check."
    return ""
