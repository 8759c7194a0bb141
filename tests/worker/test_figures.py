"""What a worker tells the compiler of its processor."""

from dataclasses import replace

import msgspec
import pytest

from compiler_core.schedule import figures as recorded_figures
from compiler_core.schedule.figures import VARIABLE, Figures, figures_of
from worker import figures

ZEN = recorded_figures.unknown()


@pytest.fixture
def stranger(monkeypatch):
    """A processor of which nothing is recorded."""
    monkeypatch.setattr(figures, "processor", lambda: "Stranger 1 2 3 x2")
    return "Stranger 1 2 3 x2"


def test_a_processor_that_is_recorded_is_not_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(figures, "processor", lambda: next(iter(recorded_figures.recorded())))
    assert figures.variables(tmp_path / "figures.json") == {}
    assert not (tmp_path / "figures.json").exists()


def test_what_was_measured_once_is_told_again_and_again(stranger, tmp_path, monkeypatch):
    record = tmp_path / "figures.json"
    record.write_bytes(msgspec.json.encode({stranger: ZEN}))
    measured = figures.variables(record)
    monkeypatch.setenv(VARIABLE, measured[VARIABLE])
    assert figures.environment() == measured
    found = figures_of(stranger)
    assert isinstance(found, Figures) and found.own and found.levels == ZEN.levels


def test_what_was_measured_beside_others_is_measured_again(stranger, tmp_path, monkeypatch):
    record = tmp_path / "figures.json"
    record.write_bytes(msgspec.json.encode({stranger: replace(ZEN, busy=True)}))
    quiet = msgspec.json.encode({stranger: ZEN})
    monkeypatch.setattr(figures, "_measure", lambda record: record.write_bytes(quiet))
    told = msgspec.json.decode(figures.variables(record)[VARIABLE], type=Figures)
    assert told == ZEN


def test_figures_of_a_machine_that_is_always_busy_are_better_than_none(
    stranger, tmp_path, monkeypatch
):
    record = tmp_path / "figures.json"
    busy = msgspec.json.encode({stranger: replace(ZEN, busy=True)})
    monkeypatch.setattr(figures, "_measure", lambda record: record.write_bytes(busy))
    told = msgspec.json.decode(figures.variables(record)[VARIABLE], type=Figures)
    assert told.busy and told.ops == ZEN.ops


def test_what_an_earlier_version_recorded_is_measured_again(stranger, tmp_path, monkeypatch):
    def measure(record):
        record.write_bytes(msgspec.json.encode({stranger: ZEN}))

    record = tmp_path / "figures.json"
    of_today = msgspec.to_builtins(ZEN)
    of_today.pop("cores")
    record.write_bytes(msgspec.json.encode({stranger: of_today}))
    monkeypatch.setattr(figures, "_measure", measure)
    assert msgspec.json.decode(figures.variables(record)[VARIABLE], type=Figures) == ZEN


def test_a_processor_that_cannot_be_measured_leaves_the_worker_without_figures(
    stranger, tmp_path, monkeypatch
):
    monkeypatch.setattr(figures, "sys", type("Gone", (), {"executable": str(tmp_path / "gone")}))
    assert figures.variables(tmp_path / "figures.json") == {}
