"""The page's own tests, run with the Node and the packages that build it. Its types and its format
are checked by `make check`, as Python's are."""

import json
import subprocess
import sys

import msgspec

from compiler_core import report
from frontend import build

SAMPLE = build.FRONTEND / "src" / "lib" / "fixtures" / "sample.json"


def test_the_pages_own_tests_pass() -> None:
    command = [sys.executable, build.__file__, "npm", "run", "--silent", "test"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_sample_run_is_what_python_folds_it_into() -> None:
    """So that the page's fold, which is held against the same file, is Python's twin."""
    sample = json.loads(SAMPLE.read_text(encoding="utf-8"))
    events = msgspec.convert(sample["events"], list[report.Event])
    whole = report.Report()
    for event in events:
        whole = report.apply(whole, event)
    assert json.loads(report.encode_report(whole)) == sample["report"]


def test_built_page_names_no_registry() -> None:
    lock = (build.FRONTEND / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
