"""Who runs the tests of the page, seen on a project of two processes."""

from pathlib import Path

import pytest

from tests.project.plain import PLAIN

ROOT = Path(__file__).resolve().parents[2]
WHERE = """
import os, time
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_it(number):
    time.sleep({seconds})
    print("FOUND", {kind!r}, os.environ["PYTEST_XDIST_WORKER"], os.getpriority(os.PRIO_PROCESS, 0))
"""

# The first process is not the first to be ready.
LATE = """
import os, time
pytest_plugins = ["tests.row_plugin"]
time.sleep(0.5 * (os.environ.get("PYTEST_XDIST_WORKER") == "gw0"))
"""


def test_no_process_takes_over_tests_of_the_page(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first process has eight of the page and another one, the second nine others: it has done
    them long before the page's are."""
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    pytester.makeconftest(LATE)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    page = pytester.path / "tests" / "browser"
    page.mkdir(parents=True)
    (page / "test_page.py").write_text(WHERE.format(kind="page", count=8, seconds=0.05))
    (pytester.path / "tests" / "test_rest.py").write_text(
        WHERE.format(kind="rest", count=10, seconds=0)
    )
    options = ("-p", "xdist", "-n", "2", "--dist", "worksteal", "-rP")
    ended = pytester.runpytest_subprocess(*PLAIN, *options)
    ended.assert_outcomes(passed=18)
    found = [line.split()[1:] for line in ended.outlines if line.startswith("FOUND")]
    assert {worker for kind, worker, _ in found if kind == "page"} == {"gw0"}
    (first, second) = (
        {int(nice) for _, worker, nice in found if worker == w} for w in ("gw0", "gw1")
    )
    assert max(first) < min(second)
