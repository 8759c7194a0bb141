"""One measurement at a time on a device."""

import socket
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from types import SimpleNamespace

import msgspec
import pytest
from redis import Redis

from compiler_core.report import Options
from tests.worker.conftest import LIMITS, OtherRuns, perform
from worker.lease import (
    COURTESY_S,
    EXPIRES_S,
    AfterBeginners,
    Line,
    RedisLease,
    somebody_measures,
)
from worker.sandbox import protocol
from worker.sandbox.inside.runner import Channel
from worker.sandbox.server import ForkServer

pytestmark = pytest.mark.service

MEASURE = (
    "import time\n"
    "with lease('cpu'):\n"
    " say(time.monotonic()); time.sleep(0.15); say(time.monotonic())"
)


@pytest.fixture
def redis(redis_url: str) -> Iterator["Redis[bytes]"]:
    with Redis.from_url(redis_url) as client:
        yield client


def test_measurements_on_one_device_exclude_each_other(
    server: ForkServer, redis: "Redis[bytes]"
) -> None:
    spans: list[tuple[float, float]] = []

    def measure() -> None:
        begin, end = perform(server, MEASURE, lease=lambda _: RedisLease(redis, "test")).said
        spans.append((float(begin), float(end)))

    threads = [threading.Thread(target=measure) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    spans.sort()
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))


def test_a_runner_measures_under_the_lease_of_the_device_it_names(
    server: ForkServer, redis: "Redis[bytes]"
) -> None:
    asked: list[str] = []

    def lease(device: str) -> RedisLease:
        asked.append(device)
        return RedisLease(redis, device)

    source = "for device in ('cpu', 'cuda'):\n with lease(device): say(device)"
    assert perform(server, source, lease=lease).said == ["cpu", "cuda"]
    assert asked == ["cpu", "cuda"]


def test_devices_do_not_wait_for_each_other(redis: "Redis[bytes]") -> None:
    one, other = RedisLease(redis, "one"), RedisLease(redis, "other")
    assert one.try_acquire()
    assert other.try_acquire()
    one.release()
    other.release()


def test_a_measurement_lets_others_begin_first_for_a_while(
    redis: "Redis[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    begins, now = [True], [100.0]
    clock = SimpleNamespace(monotonic=lambda: now[0])
    monkeypatch.setattr("worker.lease.time", clock)
    line = Line()
    first, second, third = (
        AfterBeginners(RedisLease(redis, "test"), lambda: begins[0], line) for _ in range(3)
    )
    assert not first.try_acquire()
    begins[0] = False
    assert first.try_acquire()
    # Who waits is told of how many, and once it is known for how long.
    assert second.words() == "to measure, after 1 other run"
    assert third.words() == "to measure, after 2 other runs"
    now[0] += 2.5
    first.release()
    assert second.words() == ""
    assert third.words() == "to measure, after 1 other run, about 3 s"
    told = line.words_of_who_stands_still()
    assert told == "to go on, after at most 2 other runs, about 5 s"
    begins[0] = True
    now[0] += COURTESY_S
    assert second.try_acquire()
    second.release()


def test_a_measurement_lets_others_begin_wherever_it_rests_for_as_long_in_all(
    redis: "Redis[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    begins, now = [False], [100.0]
    monkeypatch.setattr("worker.lease.time", SimpleNamespace(monotonic=lambda: now[0]))
    line = Line()
    first, second = (
        AfterBeginners(RedisLease(redis, "test"), lambda: begins[0], line) for _ in range(2)
    )
    assert first.try_acquire()
    # While nobody begins it goes on at once, with the lease.
    assert not first.rest()
    assert not second.try_acquire()
    for seconds in (1.0, COURTESY_S - 1.0):
        begins[0] = True
        assert first.rest()
        now[0] += seconds - 0.1
        assert not first.try_acquire()
        begins[0] = False
        # It is still before those who came later.
        assert not second.try_acquire()
        now[0] += 0.1
        assert first.try_acquire()
    begins[0] = True
    assert not first.rest()
    first.release()
    begins[0] = False
    assert second.try_acquire()
    second.release()


IN_BLOCKS = (
    "import time\n"
    "with lease('cpu') as rest:\n"
    " for _ in range(12):\n"
    "  say(time.monotonic()); time.sleep(0.08); say(time.monotonic()); rest()"
)


def test_who_begins_beside_a_measurement_waits_for_a_block_of_it_and_not_for_all(
    server: ForkServer, redis: "Redis[bytes]"
) -> None:
    begins, spans = threading.Event(), list[str]()

    def measure() -> None:
        lease = AfterBeginners(RedisLease(redis, "test"), begins.is_set, Line())
        spans.extend(perform(server, IN_BLOCKS, lease=lambda _: lease).said)

    thread = threading.Thread(target=measure)
    thread.start()
    while not somebody_measures(redis, ["test"]):
        time.sleep(0.01)
    begins.set()
    others = OtherRuns(lambda: somebody_measures(redis, ["test"]))
    source = "import time\nfor _ in range(20): say(time.monotonic()); time.sleep(0.01)"
    said = [float(text) for text in perform(server, source, others=others).said]
    begins.clear()
    thread.join()
    stretches = [*pairwise(map(float, spans))][::2]
    assert len(stretches) == 12 and said[-1] < stretches[-3][0]
    # What it did was beside no block, once it had been told to stand still.
    (between,) = [b for (_, a), (b, _) in pairwise(stretches) if b - a > 0.1]
    assert said[-1] < between


def test_who_came_first_measures_first(
    redis: "Redis[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("worker.lease.time", SimpleNamespace(monotonic=lambda: now[0]))
    line = Line()
    first, second, third, fourth = (
        AfterBeginners(RedisLease(redis, "test"), lambda: False, line) for _ in range(4)
    )
    assert not second.try_acquire()
    assert first.try_acquire()
    now[0] += 60
    # It asks, and learns that it is held: the others are not passed over for that.
    assert not third.try_acquire()
    first.release()
    assert not third.try_acquire()
    assert second.try_acquire()
    second.release()
    # A run that ends while it waits is before nobody.
    del third
    assert fourth.words() == ""
    assert fourth.try_acquire()
    fourth.release()


def test_who_does_not_take_their_turn_to_measure_is_passed_over(
    redis: "Redis[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("worker.lease.time", SimpleNamespace(monotonic=lambda: now[0]))
    line = Line()
    stopped, second = (
        AfterBeginners(RedisLease(redis, "test"), lambda: False, line) for _ in range(2)
    )
    assert not second.try_acquire()
    now[0] += 3
    assert second.try_acquire()
    second.release()
    assert stopped.try_acquire()
    stopped.release()


def test_a_run_that_ends_gives_its_lease_back(server: ForkServer, redis: "Redis[bytes]") -> None:
    source = "l = lease('cpu'); l.__enter__(); import os; os._exit(1)"
    perform(server, source, lease=lambda _: RedisLease(redis, "test"))
    lease = RedisLease(redis, "test")
    assert lease.try_acquire()
    lease.release()


def test_waiting_for_the_lease_costs_no_time_of_the_run(
    server: ForkServer, redis: "Redis[bytes]"
) -> None:
    other = RedisLease(redis, "test")
    assert other.try_acquire()
    threading.Timer(0.8, other.release).start()
    limits = msgspec.structs.replace(LIMITS, deadline_s=0.6)
    outcome = perform(server, MEASURE, lease=lambda _: RedisLease(redis, "test"), limits=limits)
    assert outcome.report.error is None


def test_a_run_knows_how_long_it_has_and_waiting_takes_none_of_it(
    server: ForkServer, redis: "Redis[bytes]"
) -> None:
    other = RedisLease(redis, "test")
    assert other.try_acquire()
    threading.Timer(0.8, other.release).start()
    source = (
        "import time\nsay(time_left())\nwith lease('cpu'): say(time_left())\n"
        "time.sleep(0.3); say(time_left())"
    )
    limits = msgspec.structs.replace(LIMITS, deadline_s=20.0)
    outcome = perform(server, source, lease=lambda _: RedisLease(redis, "test"), limits=limits)
    before, waited, worked = map(float, outcome.said)
    assert 20.0 >= before >= waited > before - 0.5
    assert waited - 0.3 >= worked > 10.0


def test_what_a_run_stood_still_while_others_measure_is_no_time_of_it(
    server: ForkServer, redis: "Redis[bytes]"
) -> None:
    over = threading.Event()

    def measure_now_and_then() -> None:
        while not over.is_set():
            other = RedisLease(redis, "test")
            assert other.try_acquire()
            time.sleep(0.3)
            other.release()
            time.sleep(0.3)

    thread = threading.Thread(target=measure_now_and_then)
    thread.start()
    others = OtherRuns(lambda: somebody_measures(redis, ["test"]))
    source = (
        "import time\n"
        "before, began = time_left(), time.monotonic()\n"
        "for _ in range(100): time.sleep(0.01)\n"
        "say(before - time_left()); say(time.monotonic() - began)"
    )
    limits = msgspec.structs.replace(LIMITS, deadline_s=20.0)
    taken, passed = map(float, perform(server, source, others=others, limits=limits).said)
    over.set()
    thread.join()
    # The clock went on while it was stopped.
    assert taken < passed - 0.2


def test_what_a_runner_waited_for_its_request_is_no_time_of_the_run() -> None:
    here, there = socket.socketpair()
    with here, there:
        channel = Channel(there, 0.5)
        time.sleep(0.6)
        here.sendall(
            protocol.pack(protocol.REQUEST, protocol.encode(protocol.Request("", Options())))
        )
        channel.request()
        assert 0 < channel.time_left() <= 0.5


def test_waiting_for_the_lease_has_an_end(server: ForkServer, redis: "Redis[bytes]") -> None:
    other = RedisLease(redis, "test")
    assert other.try_acquire()
    limits = msgspec.structs.replace(LIMITS, deadline_s=0.3)
    outcome = perform(server, MEASURE, lease=lambda _: RedisLease(redis, "test"), limits=limits)
    other.release()
    assert outcome.stage == "deadline"
    assert outcome.message.endswith("or waited for its turn, because others measured.")


def test_a_lease_of_a_dead_worker_expires(redis: "Redis[bytes]") -> None:
    lease = RedisLease(redis, "test")
    assert lease.try_acquire()
    (key,) = redis.keys("fuselab:lease:*:test")
    assert 0 < redis.pttl(key) <= EXPIRES_S * 1000
    time.sleep(0.05)
    lease.renew()
    assert redis.pttl(key) > (EXPIRES_S - 0.05) * 1000
    lease.release()
