"""What browsers are told to forbid, with every answer.

Styles and scripts are files of ours alone: markup that somebody gets into a page can neither run
nor load anything. Style attributes are allowed: browsers make them where somebody types into an
editor, and would complain of each.
"""

_CONTENT = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self'",
    "style-src-attr": "'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self'",
    "connect-src": "'self'{sockets}",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}
_POLICY = "; ".join(f"{name} {value}" for name, value in _CONTENT.items())


def headers(host: str) -> dict[str, str]:
    """The headers of an answer to a request to `host`; "" where it is not known to be served."""
    # Not every browser takes 'self' to cover WebSockets.
    sockets = f" ws://{host} wss://{host}" if host else ""
    return {
        "Content-Security-Policy": _POLICY.format(sockets=sockets),
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "same-origin",
    }
