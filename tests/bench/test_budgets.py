"""What the page may cost, as a row of a table."""

from bench.budgets import Budget


def test_what_is_no_more_is_within():
    found = Budget("stands", 1000, 812.4, "ms", "median of 5 new browsers, 790 to 1,020")
    said = "812 ms (median of 5 new browsers, 790 to 1,020)"
    assert found.row == f"| stands | 1,000 ms | {said} | yes |"


def test_what_is_more_is_not():
    assert Budget("kept", 1.2, 1.25, "times").row == "| kept | 1.20 times | 1.25 times | **no** |"


def test_what_was_not_found_is_not():
    assert Budget("stands", 1000, float("nan"), "ms").row.endswith("| nan ms | **no** |")
