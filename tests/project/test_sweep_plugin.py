"""Which cases of a sweep are run, seen on a project of one test file."""

import pytest

from tests.project.plain import PLAIN

TEST = """
import pytest
from tests.sweep_plugin import thinned

@pytest.mark.parametrize("size", thinned((1, 2, 3), kept=(2,)))
def test_size(size):
    pass
"""
PAIRS = """
import pytest
from tests.sweep_plugin import thinned

@pytest.mark.parametrize(("size", "dtype"), thinned(((1, "f32"), (2, "f16")), kept=((1, "f32"),)))
def test_size(size, dtype):
    assert size == {"f32": 1, "f16": 2}[dtype]
"""

ALL = """
import pytest
from tests.sweep_plugin import crossed

MET = []

@pytest.mark.parametrize(("size", "dtype"), crossed((1, 2, 3), ("f32", "f16")))
def test_size(size, dtype):
    MET.append((size, dtype))

def test_met():
    assert MET == [(1, "f32"), (2, "f16"), (3, "f32")]
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    pytester.makeini("[pytest]\nmarkers = sweep\n other")
    pytester.makeconftest("pytest_plugins = ['tests.sweep_plugin']")
    pytester.makepyfile(test_sizes=TEST)
    return pytester


def test_some_cases_of_a_sweep_are_run_unless_it_is_asked_for(project: pytest.Pytester) -> None:
    project.runpytest_inprocess(*PLAIN).assert_outcomes(passed=1, deselected=2)
    project.runpytest_inprocess(*PLAIN, "-m", "not other").assert_outcomes(passed=1, deselected=2)


def test_asked_for_a_sweep_is_the_other_cases(project: pytest.Pytester) -> None:
    project.runpytest_inprocess(*PLAIN, "-m", "sweep").assert_outcomes(passed=2, deselected=1)


def test_a_case_may_be_several_arguments(project: pytest.Pytester) -> None:
    project.makepyfile(test_sizes=PAIRS)
    project.runpytest_inprocess(*PLAIN).assert_outcomes(passed=1, deselected=1)
    project.runpytest_inprocess(*PLAIN, "-m", "sweep").assert_outcomes(passed=1, deselected=1)


def test_of_all_combinations_as_many_are_run_as_meet_each_value(project: pytest.Pytester) -> None:
    project.makepyfile(test_sizes=ALL)
    project.runpytest_inprocess(*PLAIN).assert_outcomes(passed=4, deselected=3)
    project.runpytest_inprocess(*PLAIN, "-m", "sweep").assert_outcomes(passed=3, deselected=4)
