"""The marker of a test that names no kind: `null`, text in, text out, no device and no server.
`make check` runs these."""

import re
from pathlib import Path

import pytest

KINDS = ("cpu", "gpu", "browser", "service", "extra")
# What a file says all of whose tests are of a kind.
_OF_A_KIND = re.compile(rf"^pytestmark = .*\bpytest\.mark\.({'|'.join(KINDS)})\b", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Who asks for the null tests has half of the files, and what these import, left alone."""
    if config.option.markexpr != "null" or collection_path.suffix != ".py":
        return None
    return bool(_OF_A_KIND.search(collection_path.read_text(encoding="utf-8"))) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # After the rooms' own conftests, which mark what they hold, and before -m selects.
    for item in items:
        if not any(item.get_closest_marker(kind) for kind in KINDS):
            item.add_marker("null")
