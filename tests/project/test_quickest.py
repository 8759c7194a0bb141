"""Which build of Python an environment is made with."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import quickest
from scripts.quickest import Build

OWN = Build("own", "cpython-311", True, 1.0)


def test_a_build_that_is_quicker_is_taken() -> None:
    assert quickest.quickest(OWN, [Build("other", OWN.abi, True, 0.8)]) == "other"


def test_a_difference_that_may_be_chance_changes_nothing() -> None:
    assert quickest.quickest(OWN, [Build("other", OWN.abi, True, 0.9)]) == "own"


@pytest.mark.parametrize(
    "other",
    [Build("newer", "cpython-313", True, 0.5), Build("without headers", OWN.abi, False, 0.5)],
    ids=lambda x: x.path,
)
def test_one_that_cannot_take_its_place_is_not_taken(other: Build) -> None:
    assert quickest.quickest(OWN, [other]) == "own"


def test_what_counts_of_several_looks_is_the_least() -> None:
    told = [Build("a", "x", True, 2.0), Build("b", "x", True, 3.0), Build("a", "x", True, 1.0)]
    assert quickest.least(told) == [Build("a", "x", True, 1.0), Build("b", "x", True, 3.0)]


def test_what_is_no_python_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "python3").chmod(0o755)
    done = subprocess.run(
        [sys.executable, quickest.__file__], env={"PATH": str(tmp_path)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == f"{sys.executable}\n"
