"""Who runs the tests of the page, seen on a project of two processes."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.project.plain import PLAIN
from tests.row_plugin import MANY

ROOT = Path(__file__).resolve().parents[2]
WHERE = """
import os, time
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_it(number):
    time.sleep({seconds})
    print("FOUND", {kind!r}, os.environ["PYTEST_XDIST_WORKER"], os.getpriority(os.PRIO_PROCESS, 0))
"""


class Ran(NamedTuple):
    """Of which kind a test was, and which process ran it at which niceness."""

    kind: str
    worker: str
    nice: int


# The first process is not the first to be ready.
LATE = """
import os, time
pytest_plugins = ["tests.row_plugin"]
time.sleep(0.5 * (os.environ.get("PYTEST_XDIST_WORKER") == "gw0"))
"""


@pytest.fixture
def ran(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], list[Ran]]:
    """Runs so many tests of the page and ten others in two processes; the first process begins with
    those of the page."""

    def run(count: int) -> list[Ran]:
        monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
        pytester.makeconftest(LATE)
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        page = pytester.path / "tests" / "browser"
        page.mkdir(parents=True)
        (page / "test_page.py").write_text(WHERE.format(kind="page", count=count, seconds=0.05))
        (pytester.path / "tests" / "test_rest.py").write_text(
            WHERE.format(kind="rest", count=10, seconds=0)
        )
        options = ("-p", "xdist", "-n", "2", "--dist", "worksteal", "-rP")
        ended = pytester.runpytest_subprocess(*PLAIN, *options)
        ended.assert_outcomes(passed=count + 10)
        lines = (line.split()[1:] for line in ended.outlines if line.startswith("FOUND"))
        return [Ran(kind, worker, int(nice)) for kind, worker, nice in lines]

    return run


def test_no_process_takes_over_few_tests_of_the_page(ran: Callable[[int], list[Ran]]) -> None:
    """The second process has done the others long before the page's are."""
    found = ran(8)
    assert {each.worker for each in found if each.kind == "page"} == {"gw0"}


def test_many_tests_of_the_page_are_shared_by_who_has_done_all_else(
    ran: Callable[[int], list[Ran]],
) -> None:
    found = ran(3 * MANY)
    assert {each.worker for each in found if each.kind == "page"} == {"gw0", "gw1"}


def test_the_process_of_the_page_comes_first(ran: Callable[[int], list[Ran]]) -> None:
    found = ran(8)
    first, second = ({x.nice for x in found if x.worker == w} for w in ("gw0", "gw1"))
    assert max(first) < min(second)
