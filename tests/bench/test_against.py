"""Two versions in turns, of which one may be too old."""

import argparse
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from bench import against
from bench.warm import Asked, Warm


def test_a_version_that_does_not_run_under_this_bench_is_one_sentence(
    tmp_path, monkeypatch, capfd
) -> None:
    core = tmp_path / "compiler_core"
    core.mkdir()
    (core / "__init__.py").touch()
    person = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "."), (*person, "commit", "-qm", "old")):
        subprocess.run(("git", *command), cwd=tmp_path, check=True)
    monkeypatch.setattr(against, "ROOT", tmp_path)
    monkeypatch.setattr(sys, "argv", ["bench.against", "HEAD", "--only", "01"])
    assert against.main() == against.TOO_OLD.format(commit="HEAD")
    assert "ImportError: " in capfd.readouterr().err


SNIPPET = """
import torch

def double(x):
    return x + x

double(torch.ones(8))
"""
UNCALLED = SNIPPET.replace("double(torch.ones(8))\n", "")


@pytest.mark.cpu
def test_what_every_version_has_is_enough_to_measure_a_snippet() -> None:
    version = Warm(module="bench.oldest")
    own = version.measure(Asked(SNIPPET, ("core",)))
    given = version.measure(Asked(UNCALLED, ("core",), inputs="f32[7]"))
    version.close()
    for found in (own, given):
        assert found is not None and found.programs[0].timings["core"].median_us > 0
    assert given is not None and "f32[7]" in str(given.programs[0].inputs)


def test_whoever_measures_an_older_core_alone_imports_nothing_else_of_the_bench() -> None:
    # What else is imported may ask the core for what the older one has not, as bench.turns does.
    code = "import sys, bench.warm; print(*sorted(m for m in sys.modules if m.startswith('bench')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["bench", "bench.warm"]


def test_the_times_of_every_round_are_what_is_written(monkeypatch) -> None:
    pair = against.Pair("01", before=[4.0, 2.0, 3.0], now=[1.0, 2.0, 1.5])
    args = argparse.Namespace(suite="twelve", commit="HEAD", rounds=3)
    monkeypatch.setattr(against, "commit", lambda name: name)
    found = against._file(args, datetime.now(UTC), 0.5, "bench.oldest", [pair])
    assert found["before_over_now"] == pytest.approx(2.0)
    assert found["programs"] == {
        "01": {"ratio": 2.0, "before_us": [4.0, 2.0, 3.0], "now_us": [1.0, 2.0, 1.5]}
    }
