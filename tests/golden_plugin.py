"""Golden files: a test hands its text to the `golden` fixture, which holds it against a file.

The file of `tests/fuse/test_groups.py::test_softmax[row]` is
`tests/golden/fuse/test_groups/test_softmax-row.txt`. `pytest --accept` writes what is new or
changed and deletes what no test uses; without it a missing, different or unused file fails.
"""

import difflib
import re
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
GOLDEN = TESTS / "golden"
# A longer file is not read in a review, so it proves nothing there: pin a part of it.
MAX_LINES = 120

Golden = Callable[..., None]


@dataclass
class Ledger:
    """What one session of pytest knows of the golden files."""

    folder: Path
    accept: bool
    stems: dict[Path, str] = field(default_factory=dict)
    modules: set[Path] = field(default_factory=set)
    used: set[Path] = field(default_factory=set)
    passed: set[Path] = field(default_factory=set)

    def unused(self) -> list[Path]:
        """Files of a collected module that belong to no test, or that their test did not use."""
        return [
            file
            for module in sorted(self.modules)
            for file in sorted(module.glob("*.txt"))
            if file not in self.used and self._abandoned(file)
        ]

    def _abandoned(self, file: Path) -> bool:
        stem = file.parent / file.name.removesuffix(".txt").split("@")[0]
        return stem not in self.stems or stem in self.passed


LEDGER = pytest.StashKey[Ledger]()


def stem_of(folder: Path, item: pytest.Item) -> Path:
    """Where the golden files of `item` lie, without their ending."""
    name = item.nodeid.split("::", 1)[-1]
    return _module_of(folder, item.path) / re.sub(r"[^\w.+]+", "-", name).strip("-")


@cache
def _module_of(folder: Path, path: Path) -> Path:
    path = path.with_suffix("")
    return folder / (path.relative_to(TESTS) if path.is_relative_to(TESTS) else path.name)


def difference(expected: str, actual: str, name: str) -> str:
    lines = difflib.unified_diff(
        expected.splitlines(), actual.splitlines(), f"{name} (golden)", "this run", lineterm=""
    )
    return "\n".join(lines)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--accept", action="store_true", help="write golden files from this run")
    parser.addoption("--golden", type=Path, default=GOLDEN, help="the folder of golden files")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LEDGER] = Ledger(config.getoption("--golden"), config.getoption("--accept"))


def pytest_itemcollected(item: pytest.Item) -> None:
    ledger = item.config.stash[LEDGER]
    stem = stem_of(ledger.folder, item)
    ledger.stems[stem] = item.nodeid
    # A module of which single tests were asked for says nothing about its other files.
    if not any("::" in argument for argument in item.config.args):
        ledger.modules.add(stem.parent)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.passed:
        ledger = item.config.stash[LEDGER]
        ledger.passed.add(stem_of(ledger.folder, item))
    return report


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """`golden(text)` holds `text` against the test's file; `golden(text, "ptx")` against another
    file of the same test."""
    ledger = request.config.stash[LEDGER]
    stem = stem_of(ledger.folder, request.node)

    def check(text: str, part: str = "") -> None:
        __tracebackhide__ = True
        file = stem.with_name(f"{stem.name}@{part}.txt" if part else f"{stem.name}.txt")
        if ledger.stems.get(stem, request.node.nodeid) != request.node.nodeid:
            pytest.fail(f"{ledger.stems[stem]} has the same golden file, {file}: rename one test")
        if file in ledger.used:
            pytest.fail(f"{file} is used twice in this test: name the parts, golden(text, 'part')")
        ledger.used.add(file)
        _hold(file, text.rstrip("\n") + "\n", ledger.accept)

    return check


def _hold(file: Path, text: str, accept: bool) -> None:
    __tracebackhide__ = True
    if text.count("\n") > MAX_LINES:
        pytest.fail(f"{text.count(chr(10))} lines are too many for a golden file ({MAX_LINES})")
    expected = file.read_text() if file.exists() else None
    if text == expected:
        return
    if accept:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    elif expected is None:
        pytest.fail(f"no golden file {file}: pytest --accept writes it\n{text}")
    else:
        pytest.fail(
            f"differs; if intended, pytest --accept\n{difference(expected, text, file.name)}"
        )


def pytest_sessionfinish(session: pytest.Session) -> None:
    ledger = session.config.stash[LEDGER]
    unused = ledger.unused()
    if ledger.accept:
        for file in unused:
            file.unlink()
    elif unused and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    ledger = config.stash[LEDGER]
    unused = ledger.unused()
    if unused and not ledger.accept:
        terminalreporter.section("golden files that no test uses", red=True)
        for file in unused:
            terminalreporter.line(f"{file}: pytest --accept deletes it")
