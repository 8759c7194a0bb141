"""What is kept in the repository."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINK = "120000"


def test_no_link_is_kept_which_leads_out_of_the_repository() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--stage"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("this is no checkout of git's")
    lines = [line.split("\t") for line in listed.stdout.splitlines()]
    assert lines and [path for mode, path in lines if mode.startswith(LINK)] == []
