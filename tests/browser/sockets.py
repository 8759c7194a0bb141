"""The WebSockets of a page, or of a whole browser, which a test can cut."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import BrowserContext, Page, WebSocketRoute

_STARTS_AGAIN = 1012  # the code of a service that restarts (RFC 6455)


class Sockets:
    """Those opened from now on, by `of`, at the addresses `which`."""

    def __init__(self, of: Page | BrowserContext, which: str) -> None:
        self._open, self._is_cut = list[WebSocketRoute](), False
        of.route_web_socket(which, self._opened)

    def _opened(self, ws: WebSocketRoute) -> None:
        if self._is_cut:
            ws.close(code=_STARTS_AGAIN)
            return
        ws.connect_to_server()
        self._open.append(ws)

    @contextmanager
    def cut(self) -> Iterator[None]:
        """Meanwhile none is open, and none can be opened."""
        self._is_cut = True
        for each in self._open:
            each.close(code=_STARTS_AGAIN)
        self._open.clear()
        yield
        self._is_cut = False
