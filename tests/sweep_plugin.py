"""Sweeps: where many types, sizes or seeds go one way through the code, `make test` takes some of
them, and `make test SWEEP=1` the others, which are marked `sweep`."""

from collections.abc import Container, Iterable

import pytest


def thinned(cases: Iterable[object], kept: Container[object]) -> list[object]:
    """Values for `parametrize` or a fixture; those that are not `kept` are of the sweep."""
    return [c if c in kept else pytest.param(c, marks=pytest.mark.sweep) for c in cases]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "sweep" in config.option.markexpr:
        return
    left = [item for item in items if item.get_closest_marker("sweep")]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if not item.get_closest_marker("sweep")]
