"""Generated graphs of every operation of the table, with edge values and edge sizes."""

from collections.abc import Iterator

from conformance.operations import (
    cases,
    cases_control,
    cases_convolution,
    cases_indexing,
    cases_random,
    cases_tuples,
)


def every() -> Iterator[cases.Case]:
    """All of them."""
    yield from cases.elementwise()
    yield from cases.tensors()
    for family in (cases_tuples, cases_indexing, cases_convolution, cases_random, cases_control):
        yield from family.every()
