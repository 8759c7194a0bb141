"""The golden files' own rules, seen on a project of one test file."""

from pathlib import Path

import pytest

from tests.project.plain import PLAIN

TEST = """
import pytest

@pytest.mark.parametrize("word", ["one", "two"])
def test_word(word, golden):
    golden(f"the word is\\n{word}")
"""


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    pytester.makeconftest("pytest_plugins = ['tests.golden_plugin']")
    pytester.makepyfile(test_words=TEST)
    return pytester


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    folder = project.path / "golden"
    return project.runpytest_inprocess(*PLAIN, "--golden", str(folder), *arguments)


def file(project: pytest.Pytester, word: str) -> Path:
    return project.path / "golden" / "test_words" / f"test_word-{word}.txt"


def test_a_missing_file_fails_and_says_how_to_write_it(project: pytest.Pytester) -> None:
    result = run(project)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*no golden file*pytest --accept writes it*"])


def test_accept_writes_a_file_for_each_case(project: pytest.Pytester) -> None:
    run(project, "--accept").assert_outcomes(passed=2)
    assert file(project, "two").read_text() == "the word is\ntwo\n"
    run(project).assert_outcomes(passed=2)


def test_a_different_text_fails_with_the_difference(project: pytest.Pytester) -> None:
    run(project, "--accept")
    file(project, "one").write_text("the word is\nnone\n")
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*-none", "*+one"])


def test_an_unused_file_fails_the_session(project: pytest.Pytester) -> None:
    run(project, "--accept")
    file(project, "three").write_text("left behind\n")
    result = run(project)
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*test_word-three.txt: pytest --accept deletes it"])


def test_accept_deletes_an_unused_file(project: pytest.Pytester) -> None:
    file(project, "three").parent.mkdir(parents=True)
    file(project, "three").write_text("left behind\n")
    assert run(project, "--accept").ret == pytest.ExitCode.OK
    assert not file(project, "three").exists()


def test_a_single_test_leaves_the_others_files_alone(project: pytest.Pytester) -> None:
    run(project, "--accept")
    assert run(project, "test_words.py::test_word[one]").ret == pytest.ExitCode.OK
    assert run(project, "-k", "one").ret == pytest.ExitCode.OK


def test_a_file_too_long_to_review_fails(project: pytest.Pytester) -> None:
    project.makepyfile(test_words="def test_long(golden): golden('line\\n' * 200)")
    result = run(project, "--accept")
    result.stdout.fnmatch_lines(["*200 lines are too many for a golden file*"])
