"""What the bench of random faults says of what a reader heard."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import date
from pathlib import Path

import psutil
import pytest

from bench.kills import __main__ as kills
from bench.kills import faults
from bench.kills.clock import Clock
from bench.kills.people import Reader
from bench.kills.scene import WHO
from tests.ports import free_port

STARTED = {"type": "started"}


def said(seq: int, text: str) -> dict[str, object]:
    return {"seq": seq, "event": {"type": "noticed", "notice": {"text": text}}}


def heard(*messages: dict[str, object]) -> Reader:
    reader = Reader("a run")
    for message in messages:
        reader.hear(message)
    return reader


BEGUN = {"seq": 1, "event": STARTED}


def test_events_in_order_are_right() -> None:
    reader = heard(BEGUN, said(2, "0"), said(3, "1"), {"state": "done", "seq": 3})
    assert (reader.wrong, reader.said, reader.state) == ([], ["0", "1"], "done")


@pytest.mark.parametrize("seq", [2, 4])
def test_one_that_is_doubled_or_lost_is_told(seq: int) -> None:
    assert heard(BEGUN, said(2, "0"), said(seq, "1")).wrong == [f"{seq} came after 2"]


def test_a_run_that_is_begun_again_says_all_once_more() -> None:
    reader = heard(BEGUN, said(2, "0"), {"seq": 5, "event": STARTED}, said(6, "0"))
    assert (reader.wrong, reader.said) == ([], ["0"])
    cold = {"seq": 5, "event": {"type": "stage_began", "name": "start"}}
    reader = heard(BEGUN, said(2, "0"), cold, {"seq": 6, "event": STARTED}, said(7, "0"))
    assert (reader.wrong, reader.said) == ([], ["0"])


def test_an_end_before_the_last_event_is_told() -> None:
    assert heard(BEGUN, {"state": "done", "seq": 2}).wrong == ["it ends at 2, and 1 came last"]


@pytest.mark.parametrize("asked", ["--first=0", "--first=-3", "--rounds=0", "--first=one"])
def test_rounds_are_counted_from_one(
    asked: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Round 0 would be the last fault of the list."""
    monkeypatch.setattr(sys, "argv", ["kills", asked])
    with pytest.raises(SystemExit) as ended:
        kills.main()
    name, _, value = asked.partition("=")
    assert ended.value.code == 2
    assert f"argument {name}: {value} is no number from 1 on" in capsys.readouterr().err


def test_a_clock_is_set_for_those_who_have_it_and_for_nobody_else(tmp_path: Path) -> None:
    clock = Clock(tmp_path)
    told = "import time\nwhile input(): print(int(time.time()), time.monotonic(), flush=True)"
    other = subprocess.Popen(
        [sys.executable, "-S", "-c", told],
        env=clock.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip

    def apart() -> tuple[float, float]:
        print("now", file=other.stdin, flush=True)
        assert other.stdout is not None
        wall, counted = other.stdout.readline().split()
        return float(wall) - time.time(), float(counted) - time.monotonic()

    for seconds in (0, 3600, -3600):
        clock.set(seconds)
        wall, counted = apart()
        assert abs(wall - seconds) < 60
        assert abs(counted) < 60
    other.communicate("\n")


def test_the_short_form_draws_a_kill_a_stop_and_another_of_all_there_are() -> None:
    known = [
        *((f"{who} killed", faults._killed, who) for who in WHO),
        *((f"{who} stopped", faults._stopped, who) for who in WHO),
        *((name, faults._full, "") for name in ("database locked", "disk full", "clock")),
    ]
    drawn = [faults.one_of_each_kind(known, random.Random(seed)) for seed in range(200)]
    for three in drawn:
        assert sorted(name.split()[-1] in ("killed", "stopped") for name, _, _ in three) == [
            False,
            True,
            True,
        ]
        assert len({strike for _, strike, _ in three}) == 3
    assert {name for three in drawn for name, _, _ in three} == {name for name, _, _ in known}


@pytest.mark.service
def test_three_faults_that_the_day_draws_lose_nothing() -> None:
    """Of web, browser, worker, Redis, sandbox, database, disk and clock: others each day."""
    seed = str(date.today().toordinal())
    command = [sys.executable, "-m", "bench.kills", "--short", "--seed", seed]
    done = subprocess.run(
        [*command, f"--port={free_port()}"],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, f"seed {seed}:\n{done.stdout}{done.stderr}"
    assert "; 0 problems" in done.stdout


@pytest.mark.service
@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_who_ends_it_while_its_web_stands_still_leaves_no_process_and_no_file(
    asked: signal.Signals, tmp_path: Path
) -> None:
    """The round of its eleventh fault: who is stopped hears of nobody's end."""
    command = [sys.executable, "-m", "bench.kills", "--first=11", f"--port={free_port()}"]
    here = {"env": os.environ | {"TMPDIR": str(tmp_path)}, "stdout": subprocess.DEVNULL}
    bench = psutil.Popen(command, **here, start_new_session=True)
    started: set[psutil.Process] = set()
    try:
        until = time.monotonic() + 60
        while not any(_is_stopped(each) for each in started):
            assert time.monotonic() < until and bench.is_running()
            time.sleep(0.1)
            started |= {*bench.children(recursive=True)}
        started |= {*bench.children(recursive=True)}
        bench.send_signal(asked)
        assert bench.wait(30) == 1
        _, alive = psutil.wait_procs([*started], timeout=5)
        assert [each for each in alive if each.status() != psutil.STATUS_ZOMBIE] == []
        assert [*tmp_path.iterdir()] == []
    finally:
        for each in (bench, *started):
            with suppress(psutil.NoSuchProcess):
                each.kill()


def _is_stopped(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        is_web = "webapp.serve" in process.cmdline()
        return is_web and process.status() == psutil.STATUS_STOPPED
    return False
