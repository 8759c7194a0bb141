"""How much of what runs share is free for another run."""

from pathlib import Path

import pytest

from worker.memory import share_free

MEMINFO = "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  600 kB\nHugePages_Total:  0\n"


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "meminfo").write_text(MEMINFO)
    threads(tmp_path, 100)
    (folder := tmp_path / "sys/kernel").mkdir(parents=True)
    (folder / "pid_max").write_text("1000\n")
    return tmp_path


def threads(proc: Path, number: int) -> None:
    (proc / "loadavg").write_text(f"0.10 0.20 0.30 2/{number} 4711\n")


def group(folder: Path, most: str, processes: str = "max") -> Path:
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text("900\n")
    (folder / "memory.stat").write_text("anon 500\ninactive_file 300\n")
    (folder / "pids.max").write_text(f"{processes}\n")
    (folder / "pids.current").write_text("90\n")
    return folder


@pytest.mark.parametrize(
    ("most", "processes", "share"),
    [("max", "max", 0.6), ("2000", "200", 0.55), ("2000", "900", 0.6), ("1000", "max", 0.4)],
)
def test_of_the_machine_or_of_a_container_with_less(
    proc: Path, tmp_path: Path, most: str, processes: str, share: float
) -> None:
    assert share_free(proc, group(tmp_path, most, processes)) == pytest.approx(share)


def test_of_a_machine_without_groups(proc: Path, tmp_path: Path) -> None:
    assert share_free(proc, tmp_path / "none") == pytest.approx(0.6)


def test_of_numbers_for_processes_where_these_are_fewer(proc: Path, tmp_path: Path) -> None:
    threads(proc, 900)
    assert share_free(proc, tmp_path / "none") == pytest.approx(0.1)


def test_of_this_machine() -> None:
    assert 0 < share_free() <= 1
