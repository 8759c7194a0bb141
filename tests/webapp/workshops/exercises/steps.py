"""What people do with exercises by the API, and how a run that is checked ends."""

import msgspec

from compiler_core import report
from tests.webapp.workshops.exercises.asked import CALL, toml
from tests.webapp.workshops.people import BASE, JSON
from webapp.runs import frozen
from webapp.runs.models import Run

ONE = toml("kernels at_most=1", "graph_breaks at_most=0")


def end(run, whole, outputs, call=CALL):
    for each in whole.programs:
        each.outputs, each.called = outputs, call
    options = msgspec.convert(run.options, report.Options)
    frozen.freeze(run.pk, msgspec.structs.replace(whole, options=options))
    Run.objects.filter(pk=run.pk).update(state="done")


def given(value):
    """Of both the outputs for one set of inputs, of one element."""
    return {name: [[report.Sample([1], [value])]] for name in ("eager", "core")}


def put(person, code, name="softmax", **files):
    body = {"toml": ONE, "start": "def softmax(x): ...\n"} | files
    return person.put(f"{BASE}/{code}/exercises/{name}", body, content_type=JSON)


def listed(person, code):
    return person.get(f"{BASE}/{code}/exercises").json()["exercises"]


def attempt(person, address, run):
    return person.post(f"{address}/attempts", {"run": run}, content_type=JSON)


def refusal(answer, status):
    assert answer.status_code == status, answer.content
    return answer.json()["error"]
