"""What a remedy saves is a part of a call as the run has measured it."""

import pytest
from msgspec import structs

from compiler_core.pipeline.trials.saved import saved
from compiler_core.report import Trial, TrialCounts, TrialTime


def trial(**change) -> Trial:
    time = TrialTime("core", *[100.0] * 3, *[25.0] * 3, 4.0, 3.9, 4.1, "faster", 24, **change)
    return Trial("changed", 4.0, "", [time], before=TrialCounts(graphs=2))


@pytest.mark.parametrize(
    ("measured", "us"), [({"core": 40.0}, 30.0), ({"xla": 40.0}, 75.0), ({}, 75.0)]
)
def test_microseconds_are_those_of_the_measured_call(measured, us):
    assert saved(trial(), measured, "dynamo") == {"us": us}


def test_of_first_calls_it_is_compiling():
    assert saved(trial(first_calls=True), {"core": 40.0}, "dynamo") == {"compile_ms": 0.075}


def test_it_is_a_part_of_the_call_of_the_compiler_that_the_entry_is_of():
    slow = TrialTime("xla", *[10.0] * 3, *[11.0] * 3, 0.9, 0.8, 1.1, "same within noise", 24)
    both = structs.replace(trial(), times=[*trial().times, slow])
    assert saved(both, {}, "core") == saved(both, {}, "dynamo") == {"us": 75.0}
    assert saved(both, {}, "xla") == {}
