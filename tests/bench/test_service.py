"""What the bench of a crowded room says of what people saw."""

import math

from bench.service import Room, Seen, p95, rss_mb, summary


def test_a_room_in_one_line() -> None:
    people = [Seen(at / 10, at / 5, "done", at / 8) for at in range(1, 21)]
    room = Room([*people, Seen(0.0, 0.0, "lost"), Seen(9.0, 9.0, "failed")], [10.0, 20.0])
    assert summary(room) == (
        "20 done, 1 failed, 1 lost; first event p95 2.00 s, first IR p95 2.38 s, "
        "end p95 4.00 s; 2 links p95 20 ms"
    )


def test_a_room_that_measures_says_what_others_took_meanwhile() -> None:
    beside = [(0.1, False), (0.2, False), (1.5, True)]
    told = summary(Room([Seen(1, 2, "done", 1.5)], [10.0], beside))
    assert told.endswith(
        "; 3 measurements, beside which others took 0.20 of a processor (median), 1.37 (p95); "
        "1 say that the machine was busy"
    )


def test_the_95th_percentile_of_few() -> None:
    assert p95([3.0]) == 3.0
    assert math.isnan(p95([]))
    assert p95([0.0, 1.0]) == 0.95


def test_the_memory_of_no_process_is_none() -> None:
    assert rss_mb(None) == 0
