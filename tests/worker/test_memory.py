"""How much memory is free for another run."""

from pathlib import Path

import pytest

from worker.memory import share_free

MEMINFO = "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:  600 kB\nHugePages_Total:  0\n"


@pytest.fixture
def meminfo(tmp_path: Path) -> Path:
    path = tmp_path / "meminfo"
    path.write_text(MEMINFO)
    return path


def group(folder: Path, most: str) -> Path:
    (folder / "memory.max").write_text(f"{most}\n")
    (folder / "memory.current").write_text("900\n")
    (folder / "memory.stat").write_text("anon 500\ninactive_file 300\n")
    return folder


@pytest.mark.parametrize(("most", "share"), [("max", 0.6), ("2000", 0.6), ("1000", 0.4)])
def test_of_the_machine_or_of_a_container_with_less(
    meminfo: Path, tmp_path: Path, most: str, share: float
) -> None:
    assert share_free(meminfo, group(tmp_path, most)) == pytest.approx(share)


def test_of_a_machine_without_groups(meminfo: Path, tmp_path: Path) -> None:
    assert share_free(meminfo, tmp_path / "none") == pytest.approx(0.6)


def test_of_this_machine() -> None:
    assert 0 < share_free() <= 1
