"""What browsers are told to forbid, with every answer.

Styles and scripts are files of ours alone: markup that somebody gets into a page can neither run,
nor load, nor cover anything. A script still sets the style of an element that it has.
"""

_CONTENT = {
    "default-src": "'self'",
    "script-src": "'self'{compiled}",
    "style-src": "'self'",
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "connect-src": "'self'{sockets}",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
}
_POLICY = "; ".join(f"{name} {value}" for name, value in _CONTENT.items())


# What other sites may put into a frame: a page that only shows (webapp/pages/views.py, embed).
_FRAMED = "/e/"


# The worker that formats is WebAssembly: its script alone may compile some (frontend/src/text).
_COMPILES = "/static/app/assets/ruff.worker-"


def headers(host: str, path: str = "") -> dict[str, str]:
    """The headers of an answer to a request to `host` for `path`; "" where it is not known to be
    served."""
    # Not every browser takes 'self' to cover WebSockets.
    sockets = f" ws://{host} wss://{host}" if host else ""
    is_framed = path.startswith(_FRAMED)
    compiled = " 'wasm-unsafe-eval'" if path.startswith(_COMPILES) else ""
    policy = _POLICY.format(sockets=sockets, compiled=compiled)
    return {
        "Content-Security-Policy": policy if is_framed else f"{policy}; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        # A page that anybody may frame goes without either: "*" stands for sites alone,
        # and not for a file on a disk, such as somebody's slides.
        **({} if is_framed else {"X-Frame-Options": "DENY"}),
        "Referrer-Policy": "same-origin",
    }


def bad_request(says: str) -> bytes:
    """The whole answer to what is no request."""
    lines = b"".join(f"{name}: {value}\r\n".encode() for name, value in headers("").items())
    return (
        b"HTTP/1.1 400 Bad Request\r\n" + lines + b"connection: close\r\n"
        b"content-type: text/plain; charset=utf-8\r\n"
        + f"content-length: {len(says)}\r\n\r\n{says}".encode("ascii")
    )
