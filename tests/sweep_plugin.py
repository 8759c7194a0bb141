"""Sweeps: where many types, sizes or seeds go one way through the code, `make test` takes some of
them, and `make test SWEEP=1` the others, which are marked `sweep`."""

from collections.abc import Container, Iterable, Sequence
from itertools import product

import pytest


def thinned(cases: Iterable[object], kept: Container[object]) -> list[object]:
    """Values for `parametrize` or a fixture, tuples for several arguments; those that are not
    `kept` are of the sweep."""
    return [c if c in kept else _swept(c) for c in cases]


def crossed(*values: Iterable[object]) -> list[object]:
    """All combinations of several arguments' values. Kept are as many as the longest list has: its
    k-th value with the k-th of each other one, which begins again, so that each value is met."""
    lists = [list(each) for each in values]
    return thinned(product(*lists), kept=list(zip(*_as_long(lists), strict=True)))


def _as_long(lists: Sequence[list[object]]) -> list[list[object]]:
    count = max(map(len, lists))
    return [[each[i % len(each)] for i in range(count)] for each in lists]


def _swept(case: object) -> object:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.sweep)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "sweep" in config.option.markexpr:
        return
    left = [item for item in items if item.get_closest_marker("sweep")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("sweep")]
