"""What a run may leave out that was not done by its deadline is what was asked of it."""

import pytest

from compiler_core.report import Options
from worker.sandbox.late_remedies import late_remedy

pytestmark = pytest.mark.null
LEAST = Options(measure=False, target="none")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Options(measure=False, target="none", insides=("xla",)), "Look into fewer other"),
        (Options(measure=False, target="none", compilers=("core", "xla")), "Choose fewer"),
        (Options(measure=False, target="none", trials=True), "Leave out trying remedies"),
        (Options(measure=False, target="none", timeline=True), "Leave out the timeline"),
        (Options(target="none"), "Leave out measuring"),
        (Options(measure=False), "Choose none as the target"),
    ],
)
def test_what_was_asked_for_may_be_left_out_and_nothing_else(asked: Options, words: str) -> None:
    said = late_remedy("fuse", asked, 1)
    assert said.startswith(words) and said.endswith(", or run less in one snippet.")
    assert said.count(", ") == 1


def test_of_several_programs_some_may_be_left_out() -> None:
    assert late_remedy("fuse", LEAST, 3) == "Run fewer programs in one snippet."


def test_a_loop_is_looked_for_where_the_first_program_was_not_captured_in_time() -> None:
    assert "endless loop" in late_remedy("capture", LEAST, 1)
    assert "endless loop" not in late_remedy("capture", LEAST, 2)


@pytest.mark.parametrize("stage", ["compile sm_90", "disassemble"])
def test_what_only_a_target_takes_may_be_had_without_one(stage: str) -> None:
    assert late_remedy(stage, Options(), 1).startswith("Choose none as the target")
