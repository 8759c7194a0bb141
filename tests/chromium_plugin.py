"""The browser of the browser tests: one that is missing fails them, it does not skip them."""

import pytest

from scripts import chromium as browser


@pytest.fixture(scope="session")
def chromium() -> str:
    """The executable; `make test` installs one where there is none."""
    return browser.find() or pytest.fail(browser.problem())
