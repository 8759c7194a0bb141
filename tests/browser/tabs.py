"""Tabs that tests take turns on: to open one, with the process that draws it, costs as much as to
load the page in it.

Whoever gives one back leaves nothing in it: sizes, media and what the page keeps for its tab are as
in a new one. A tab to which something was done that cannot be taken back, such as a listener or a
script of its own, is closed instead.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Error, Page, ViewportSize

from tests.browser.steps import PLAIN

# What is done to a page for as long as it lasts.
LASTING = (
    "on", "once", "route", "route_from_har", "route_web_socket", "add_init_script",
    "add_locator_handler", "expose_binding", "expose_function", "set_default_timeout",
    "set_default_navigation_timeout", "set_extra_http_headers",
)  # fmt: skip


def _complains(message: ConsoleMessage) -> bool:
    """Chromium itself reports a request that was refused, which some tests provoke, and that an
    address which names no icon has none."""
    is_icon = message.location["url"].endswith("/favicon.ico")
    return message.type == "error" and "status of 422" not in message.text and not is_icon


class Tabs:
    """The tabs of a context whose site is at `origin`."""

    def __init__(self, context: BrowserContext, origin: str, viewport: ViewportSize) -> None:
        self._context, self._plain, self._viewport = context, f"{origin}{PLAIN}", viewport
        self._free: list[Page] = []
        # Of every tab.
        self._complaints: dict[Page, list[str]] = {}
        self._changed: set[Page] = set()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Pages are marked to which something is done that lasts."""
        with pytest.MonkeyPatch.context() as patch:
            for name in LASTING:
                patch.setattr(Page, name, self._marking(getattr(Page, name)))
            patch.setattr(
                BrowserContext,
                "new_cdp_session",
                self._marking_page(BrowserContext.new_cdp_session),
            )
            yield

    def _marking(self, method: Any) -> Any:
        def marked(page: Page, *given: Any, **named: Any) -> Any:
            self._changed.add(page)
            return method(page, *given, **named)

        return marked

    def _marking_page(self, method: Any) -> Any:
        def marked(context: BrowserContext, page: Page) -> Any:
            self._changed.add(page)
            return method(context, page)

        return marked

    @contextmanager
    def turn(self) -> Iterator[Page]:
        """A blank tab of somebody for whom nothing is kept but the files that were loaded. What was
        opened from it is closed with the turn, after which it must have had no complaints."""
        page, before = self._free.pop() if self._free else self._new(), self._context.pages
        self._context.clear_cookies()
        page.evaluate("() => { sessionStorage.clear(); localStorage.clear() }")
        self._complaints[page].clear()
        yield page
        complaints = self._complaints[page].copy()
        for each in self._context.pages:
            if each not in before and each not in self._complaints:
                each.close()
        self._end(page)
        assert complaints == [], complaints

    def _new(self) -> Page:
        page = self._context.new_page()
        complaints = self._complaints[page] = list[str]()
        page.on("console", lambda m: complaints.append(m.text) if _complains(m) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(self._plain)
        self._changed.discard(page)
        return page

    def _end(self, page: Page) -> None:
        if page not in self._changed and not page.is_closed() and self._is_as_new(page):
            self._free.append(page)
            return
        del self._complaints[page]
        self._changed.discard(page)
        page.close()

    def _is_as_new(self, page: Page) -> bool:
        try:
            # Of the same site: with a blank page the process would end as well.
            page.goto(self._plain)
            page.set_viewport_size(self._viewport)
            page.emulate_media(
                media="null", color_scheme="light", reduced_motion="reduce", forced_colors="null"
            )
            page.mouse.move(0, 0)
        except Error:
            return False
        return True
