"""Whose page a request comes from, and who can reach this site.

Browsers send Origin with every request that may change something, and with every WebSocket.
Scripts send none, and carry no cookie that a foreign page could ride on.
"""

from collections.abc import Iterable
from urllib.parse import urlsplit

_LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "::1"}


def same_origin(origin: str | None, host: str, secure: bool) -> bool:
    """Whether a page of `host` sent the request, by its header `origin`: one that was loaded by
    https where `secure`, else by http. True for requests without the header."""
    if origin is None:
        return True
    return _parts(origin) == ("https" if secure else "http", host.lower()) and host != ""


def same_but_scheme(origin: str | None, host: str, secure: bool) -> bool:
    """Whether only the scheme is another: a site is reached by https and does not know."""
    return same_origin(origin, host, not secure)


def _parts(origin: str) -> tuple[str, str] | None:
    try:
        split = urlsplit(origin)
    except ValueError:
        return None
    return split.scheme, split.netloc.lower()


def strangers(hosts: Iterable[str]) -> list[str]:
    """Those of `hosts` that other machines may know this one by."""
    return sorted(set(hosts) - _LOOPBACK)


def is_loopback(host: str | None) -> bool:
    """Whether `host` is a name of this very machine."""
    return host in _LOOPBACK
