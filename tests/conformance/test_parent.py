"""What the judging processes end with, on a child of the tests' own that speaks their protocol."""

import sys

import pytest

from conformance import parent
from conformance.sample import Unit

# Judges samples 0 to 3 native, but for what is done at sample 1.
CHILD = """
import json, os, sys, time
for line in sys.stdin:
    for number in range(json.loads(line)["start"], 4):
        print(json.dumps({"begins": number, "name": f"s{number}"}), flush=True)
        if number == 1:
            WHAT
        print(json.dumps({"number": number, "kind": "native", "reason": "", "seconds": 0.1}))
    print(json.dumps({"ends": True}), flush=True)
"""
UNIT = Unit("opinfo", "add", "forward f32")


def verdicts(what: str, units=(UNIT,), **limits) -> list[tuple[int, str, str]]:
    told: list[parent.Judged] = []
    command = [sys.executable, "-c", CHILD.replace("WHAT", what)]
    parent.run(units, parent.Limits(**limits), told.append, command=command)
    return [(j.number, j.verdict.kind, j.verdict.reason) for j in told]


NATIVE = [(number, "native", "") for number in range(4)]


def test_every_sample_of_every_unit_is_told():
    assert verdicts("pass", [UNIT, UNIT]) == NATIVE * 2


def test_a_crash_is_a_fault_and_the_unit_goes_on_behind_it():
    crash = (1, "fault", "the process ended: signal 6")
    assert verdicts("os.abort()") == [NATIVE[0], crash, *NATIVE[2:]]


def test_a_process_that_ends_itself_is_a_fault():
    ended = (1, "fault", "the process ended: 3")
    assert verdicts("os._exit(3)") == [NATIVE[0], ended, *NATIVE[2:]]


def test_a_sample_without_end_is_a_fault():
    endless = (1, "fault", "no result within 1 s")
    assert verdicts("time.sleep(60)", seconds=1.0) == [NATIVE[0], endless, *NATIVE[2:]]


def test_a_process_that_does_not_start_ends_the_unit():
    told: list[parent.Judged] = []
    command = [sys.executable, "-c", "raise SystemExit(4)"]
    parent.run([UNIT], parent.Limits(), told.append, command=command)
    (only,) = told
    assert (only.verdict.kind, only.verdict.reason) == ("fault", "the process ended: 4")


def test_no_unit_is_begun_after_the_minutes():
    assert verdicts("pass", minutes=0.0) == []


@pytest.mark.parametrize("processes", [1, 2])
def test_units_are_shared_out(processes):
    assert sorted(verdicts("pass", [UNIT] * 3, processes=processes)) == sorted(NATIVE * 3)


def test_a_unit_is_done_behind_its_last_sample():
    told: list[object] = []
    command = [sys.executable, "-c", CHILD.replace("WHAT", "pass")]
    parent.run([UNIT], parent.Limits(), lambda j: told.append(j.number), told.append, command)
    assert told == [0, 1, 2, 3, UNIT]
