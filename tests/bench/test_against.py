"""Two versions in turns, of which one may be too old."""

import subprocess
import sys

from bench import against


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
