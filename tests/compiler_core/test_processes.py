"""Other programs, run within a time."""

import time

from compiler_core.processes import ending_within, run_within


def test_a_program_that_does_not_end_in_time_is_ended():
    assert run_within(["sleep", "60"], 0.1) is None
    done = run_within(["echo", "done"], 60)
    assert done is not None and done.stdout == "done\n"


def test_nothing_runs_longer_than_its_context_has_time_for():
    began = time.monotonic()
    with ending_within(0.2):
        assert run_within(["sleep", "60"], 60) is None
        # What is within has no more than what it is in.
        with ending_within(60):
            assert run_within(["sleep", "60"], 60) is None
    assert time.monotonic() - began < 30
    assert run_within(["true"], 60) is not None
