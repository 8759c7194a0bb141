"""Which tests are null, seen on a project of two files."""

import pytest

from tests.project.plain import PLAIN

OF_A_KIND = """
import pytest

pytestmark = [pytest.mark.cpu, pytest.mark.slow]
raise RuntimeError("this file was read")
"""
SOME_ARE_NULL = """
import pytest

def test_text():
    pass

@pytest.mark.cpu
def test_compiled():
    pass
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    pytester.makeini("[pytest]\nmarkers = null\n cpu\n slow")
    pytester.makeconftest("pytest_plugins = ['tests.null_plugin']")
    pytester.makepyfile(test_kind=OF_A_KIND, test_some=SOME_ARE_NULL)
    return pytester


def test_a_test_of_no_kind_is_null_and_a_file_of_others_is_not_read_for_it(
    project: pytest.Pytester,
) -> None:
    project.runpytest_inprocess(*PLAIN, "-m", "null").assert_outcomes(passed=1, deselected=1)


def test_other_expressions_read_every_file(project: pytest.Pytester) -> None:
    found = project.runpytest_inprocess(*PLAIN, "-m", "null or cpu")
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["*this file was read*"])
