"""On an accelerator calls are queued and waited for once a sample."""

import pytest
import torch

from compiler_core.measure import runnable as runnables
from compiler_core.measure import sampling
from compiler_core.measure.runnable import Runnable, by_jax, by_torch
from compiler_core.measure.sampling import sample

INPUTS = [(torch.full((4,), float(i)),) for i in range(4)]
CALL_NS = 5_000
WAIT_NS = 20_000
DEVICE_MS = 3.0


class Clock:
    """Stands in for `time`: it goes on by what is done alone, so that a busy machine counts no
    other calls."""

    ns = 0

    def perf_counter_ns(self):
        return self.ns

    def perf_counter(self):
        return self.ns / 1e9

    def sleep(self, seconds):
        self.ns += round(seconds * 1e9)


def device(clock):
    """The events of a device that takes DEVICE_MS for whatever is between two of them."""

    class Event:
        def record(self):
            self.at = clock.ns

        def elapsed_time(self, end):
            assert end.at >= self.at
            return DEVICE_MS

    return Event


def added(clock):
    def call(given):
        clock.ns += CALL_NS
        return [given[0] + 1]

    return call


def queue(clock, noted):
    """A device whose calls take the host CALL_NS, and whose wait takes WAIT_NS."""

    def call(given):
        noted.append("call")
        return added(clock)(given)

    def finish(result):
        noted.append("wait")
        clock.ns += WAIT_NS

    return Runnable(tuple, call, list, finish=finish, event=device(clock), device="cuda")


@pytest.fixture(scope="module")
def taken():
    clock, noted = Clock(), []
    both = {"eager": queue(clock, noted), "core": Runnable(tuple, added(clock), list)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sampling, "time", clock)
        return noted, sample(both, INPUTS, budget_s=0.05, progress=lambda _: None)


def test_a_sample_is_many_calls_and_one_wait(taken):
    noted, samples = taken
    waits = "".join("." if each == "call" else "|" for each in noted).split("|")
    assert len(waits[-2]) == samples.calls["eager"] == 196
    assert waits[-1] == ""


def test_a_sample_lasts_about_a_millisecond_where_a_wait_ends_it(taken):
    _, samples = taken
    spent = [ns * samples.calls["eager"] for ns in samples.ns["eager"]]
    assert min(spent) >= 1_000_000


def test_the_wait_is_shared_by_the_calls_of_a_sample(taken):
    _, samples = taken
    shared = CALL_NS + WAIT_NS / samples.calls["eager"]
    assert samples.ns["eager"] == pytest.approx([shared] * len(samples.ns["eager"]))


def test_what_runs_on_the_cpu_is_sampled_as_ever(taken):
    _, samples = taken
    assert samples.calls["core"] < samples.calls["eager"]
    assert "core" not in samples.device_ns


def test_a_device_with_events_is_asked_for_its_own_time(taken):
    _, samples = taken
    own = DEVICE_MS * 1e6 / samples.calls["eager"]
    assert samples.device_ns["eager"] == [own] * len(samples.ns["eager"])


def test_the_results_are_those_of_the_named_inputs(taken):
    _, samples = taken
    assert torch.equal(samples.results["eager"][0], samples.checked[0] + 1)


def test_whoever_needs_one_result_waits():
    noted = []
    queue(Clock(), noted).run(INPUTS[0])
    assert noted == ["call", "wait"]


def test_torch_on_an_accelerator_waits_only_when_asked(monkeypatch):
    noted = []
    monkeypatch.setattr(torch.accelerator, "synchronize", lambda: noted.append("wait"))
    found = by_torch(tuple, lambda given: noted.append("call"), list, device="cuda")
    found.call(())
    assert noted == ["call"] and found.event is runnables.timing_event
    found.finished(())
    assert noted == ["call", "call", "wait"]


@pytest.mark.parametrize(("device", "waited"), [("cpu", ["x"]), ("cuda", [])])
def test_jax_is_waited_for_in_each_call_on_the_cpu_alone(monkeypatch, device, waited):
    import jax

    noted = []
    monkeypatch.setattr(jax, "block_until_ready", noted.append)
    found = by_jax(tuple, lambda given: "x", device=device)
    found.call(())
    assert noted == waited
    found.finished(())
    assert noted[-1] == "x" and found.event is runnables.NoEvent
