"""Exercises, and the reports of real runs that are held against them."""

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from compiler_core import report
from webapp.examples import first
from webapp.workshops.exercises import trying
from webapp.workshops.exercises.definition import Definition
from webapp.workshops.exercises.models import Exercise

FOLDER = Path(__file__).parent / "reports"
CALL = "softmax(f32[256,512])"
CHECK = '[[check]]\nkind = "kernels"\nat_most = 1\n'


def toml(*checks: str, **fields: str) -> str:
    """The text of an exercise.toml; each check as "kernels at_most=1"."""
    said = {"title": "One kernel", "text": "Make it **one** kernel.", "call": CALL} | fields
    lines = [f"{name} = {json.dumps(value)}" for name, value in said.items()]
    for kind, *values in (check.split() for check in checks):
        lines += ["[[check]]", f'kind = "{kind}"']
        lines += [value.replace("=", " = ", 1) for value in values]
    return "\n".join(lines) + "\n"


def stored(name: str) -> report.Report:
    """A report of a run; "measured" is the front page's."""
    whole = report.decode_report(_raw(name))
    for each in whole.programs:
        each.called = f"{each.name}({', '.join(each.inputs)})"
    return whole


def tried(name: str, source: str) -> dict[str, Any]:
    """The options of the run by which a text is checked in the only room that has this exercise."""
    exercise = Exercise.objects.get(name=name)
    wanted = trying.defined(exercise)
    assert isinstance(wanted, Definition), wanted
    found: dict[str, Any] = msgspec.to_builtins(trying.options(exercise, wanted, source))
    return found


@cache
def _raw(name: str) -> bytes:
    if name != "measured":
        return (FOLDER / f"{name}.json").read_bytes()
    made: dict[str, Any] = json.loads(gzip.decompress(first.FILE.read_bytes()))
    return json.dumps(made["report"]).encode()
