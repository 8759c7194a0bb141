"""Numbers of a report as a person reads them."""

import pytest

from compiler_core.report.columns import relative_error


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "not finite"), (1.25e-6, "1.25e-06"), (4.4e8, "4.4e+08"), (1.1e307, "exact is 0")],
)
def test_an_error_relative_to_nothing_says_so(value: float | None, shown: str) -> None:
    assert relative_error(value) == shown
