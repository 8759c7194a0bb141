"""Puts exercises into a workshop, and takes them away."""

import re

from django.db import transaction
from django.db.models import Max

from webapp.errors import Refusal
from webapp.runs import intake
from webapp.workshops.exercises import definition
from webapp.workshops.exercises.kinds import Equal
from webapp.workshops.exercises.models import NAME, Attempt, Exercise, HintsSeen
from webapp.workshops.exercises.wire import Files
from webapp.workshops.models import Workshop

MOST = 30
# start.py and its like are read by people, and all starts are sent together.
MOST_SOURCE_BYTES = 32 * 1024
_SOURCES = ("start", "answer", "reference")
_NAME = re.compile(rf"[a-z0-9](?:[a-z0-9-]{{0,{NAME - 2}}}[a-z0-9])?")


def put(workshop: Workshop, name: str, files: Files) -> Exercise | Refusal:
    """The exercise of this name, from now on as `files` have it; a new one goes behind the others.
    Attempts and opened hints of one whose exercise.toml is another now are dropped."""
    refusal = refused(name, files)
    if refusal is not None:
        return refusal
    with transaction.atomic():
        before = Exercise.objects.filter(workshop=workshop, name=name).first()
        others = Exercise.objects.filter(workshop=workshop)
        if before is None and others.count() >= MOST:
            return Refusal(422, f"There are {MOST} exercises already.", "Remove one first.", "name")
        if before is not None and before.toml != files.toml:
            Attempt.objects.filter(exercise=before).delete()
            HintsSeen.objects.filter(exercise=before).delete()
        last = others.aggregate(last=Max("place"))["last"]
        content = {"toml": files.toml, "start": files.start, "answer": files.answer,
                   "reference": files.reference}  # fmt: skip
        found, _ = Exercise.objects.update_or_create(
            workshop=workshop,
            name=name,
            defaults=content,
            create_defaults=content | {"place": 0 if last is None else last + 1},
        )
    return found


def refused(name: str, files: Files) -> Refusal | None:
    """Why these files are no exercise."""
    if not _NAME.fullmatch(name):
        remedy = f"Take 1 to {NAME} of a-z, 0-9 and hyphens within, such as softmax-one-kernel."
        return Refusal(422, f'An exercise cannot be called "{name[:NAME]}".', remedy, "name")
    read = definition.read(files.toml)
    if isinstance(read, Refusal):
        return read
    right = files.reference.strip() or files.answer.strip()
    if any(isinstance(each, Equal) for each in read.check) and not right:
        message = "There is no reference.py and no answer.py, and a check compares with it."
        return Refusal(422, message, "Add one, or take the check of kind equal out.", "reference")
    return next(filter(None, (_source(which, files) for which in _SOURCES)), None)


def find(workshop: Workshop, name: str) -> Exercise | Refusal:
    """The workshop's exercise of this name, which may be any text."""
    named = Exercise.objects.filter(workshop=workshop, name=name) if _NAME.fullmatch(name) else None
    remedy = "See the list of exercises for those there are."
    missing = Refusal(404, f'There is no exercise "{name[:NAME]}".', remedy, "name")
    return (named.first() if named else None) or missing


def _source(which: str, files: Files) -> Refusal | None:
    text = getattr(files, which)
    if not text and which != "start":
        return None
    read = intake.read_source(text)
    if isinstance(read, Refusal):
        return Refusal(422, f"{which}.py: {read.message}", read.remedy, which)
    if len(text.encode()) > MOST_SOURCE_BYTES:
        message = f"{which}.py is longer than {MOST_SOURCE_BYTES:,} bytes."
        return Refusal(422, message, "Cut it down to what the exercise is about.", which)
    return None
