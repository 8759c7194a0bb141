"""Whether a browser's request comes from a page of this site.

Browsers send Origin with every request that may change something, and with every WebSocket.
Scripts send none, and carry no cookie that a foreign page could ride on.
"""

from urllib.parse import urlsplit


def same_origin(origin: str | None, host: str) -> bool:
    """Whether a page of `host` sent the request, by its header `origin`; true for requests without
    one."""
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == host.lower() != ""
    except ValueError:
        return False
