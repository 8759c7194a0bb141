"""systemd/fuselab-worker.service starts what `make run` starts, and hands it its control group."""

import configparser
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from launcher import commands
from worker.sandbox import groups

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "systemd/fuselab-worker.service"
README = (ROOT / "README.md").read_text()
# systemd got this one in version 254; older ones say so, and go on without it.
YOUNG = "Unknown key 'DelegateSubgroup'"


@pytest.fixture
def service() -> configparser.SectionProxy:
    unit = configparser.RawConfigParser()
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(UNIT)
    return unit["Service"]


def test_the_command_is_the_launchers(service: configparser.SectionProxy) -> None:
    python = f"{service['WorkingDirectory']}/.venv/bin/python"
    assert tuple(service["ExecStart"].split()) == commands.worker(python, commands.QUEUES)


def test_the_folder_of_groups_is_its_own_and_its_processes_are_beside(
    service: configparser.SectionProxy,
) -> None:
    own = f"/sys/fs/cgroup/system.slice/{UNIT.name}"
    assert service["Environment"] == f"FUSELAB_CGROUP={own}"
    assert service["DelegateSubgroup"]
    assert set(service["Delegate"].split()) == set(groups.WANTED)


def test_its_settings_are_in_the_readme() -> None:
    of_systemd = {"AF_UNIX", "AF_INET", "AF_NETLINK"}
    for name in {*re.findall(r"\b[A-Z]+_[A-Z_]+\b", UNIT.read_text())} - of_systemd:
        assert f"`{name}`" in README, name


analysed = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd is not installed"
)


@analysed
def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    here = tmp_path / UNIT.name
    here.write_text(UNIT.read_text().replace("/opt/fuselab/.venv/bin/python", sys.executable))
    command = ("systemd-analyze", "verify", "--man=no", str(here))
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert [x for x in found.stderr.splitlines() if x and YOUNG not in x] == []


def test_nothing_of_it_covers_what_the_sandbox_is_made_of(
    service: configparser.SectionProxy,
) -> None:
    """Beneath a /proc of which a part is covered Linux lets nobody mount another."""
    covers = {"KernelTunables", "KernelLogs", "Proc", "ControlGroups", "Hostname"}
    assert not {f"Protect{each}" for each in covers} & {*service}
    assert not {"RestrictNamespaces", "SystemCallFilter", "MemoryDenyWriteExecute"} & {*service}


@analysed
def test_it_has_no_more_than_it_needs() -> None:
    """By systemd's own measure, of which 100 is everything; what is left is in the unit's text."""
    most = ("--offline=yes", "--threshold=55", "--no-pager")
    found = subprocess.run(
        ("systemd-analyze", "security", *most, str(UNIT)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout
