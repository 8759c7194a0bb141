"""What others take of the machine while something is measured."""

import subprocess
import sys

import pytest

from compiler_core.measure.machine import Usage, Used, usage


def test_own_work_is_not_others():
    before = Usage(clock=0.0, processors=2, all=100.0, own=10.0)
    after = Usage(clock=2.0, processors=2, all=103.0, own=12.5)
    assert after.since(before) == Used(seconds=2.0, processors=2, others=0.25)


@pytest.mark.parametrize(("before", "others"), [(100.0, 0.25), (None, None)])
def test_what_is_used_while_one_is_away_is_not_counted(before, others):
    begun = Usage(clock=0.0, processors=2, all=before, own=10.0)
    gone = Usage(clock=1.0, processors=2, all=101.0, own=10.8)
    back = Usage(clock=5.0, processors=2, all=108.0, own=10.9)
    end = Usage(clock=6.0, processors=2, all=110.0, own=12.6)
    used = end.since(begun.without(gone, back))
    assert used.seconds == 2.0 and used.others == (others and pytest.approx(others))


@pytest.mark.parametrize(("others", "busy"), [(0.1, False), (0.5, True), (None, False)])
def test_a_machine_is_busy_when_others_take_a_tenth_of_it(others, busy):
    assert Used(1.0, 2, others).busy is busy


def test_a_system_that_does_not_say_leaves_it_open():
    before = Usage(0.0, 2, None, 0.0)
    assert Usage(1.0, 2, None, 1.0).since(before).others is None


def test_work_of_a_process_that_was_started_here_is_own():
    before = usage()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as child:
        try:
            while usage().own - before.own < 0.1:
                pass
            during = usage()
        finally:
            child.kill()
    assert during.own > before.own and during.clock > before.clock


def test_a_process_may_have_any_bytes_for_its_name():
    named = "import sys; open('/proc/self/comm', 'wb').write(b'\\xff'); print(flush=True); input()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", named], **pipes) as child:
        child.stdout.readline()
        assert usage().own > 0
        child.communicate()
