"""Who made a run: a random token, in a signed cookie for browsers, a bearer token for scripts.

The database keeps a digest only, so nobody who reads it can act as somebody else.
"""

import hashlib
import secrets

from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse

from webapp.runs.models import Run

_COOKIE = "fuselab_owner"
_YEAR_SECONDS = 365 * 24 * 3600
_signer = Signer(salt="webapp.runs.owner")


def token(request: HttpRequest) -> str | None:
    """The signed token that came with `request`; None where there is none or it is forged."""
    scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
    given = bearer if scheme.lower() == "bearer" else request.COOKIES.get(_COOKIE, "")
    try:
        _signer.unsign(given)
    except BadSignature:
        return None
    return given


def new_token() -> str:
    return _signer.sign(secrets.token_urlsafe(24))


def digest(signed: str) -> str:
    return hashlib.sha256(signed.encode()).hexdigest()


def owns(request: HttpRequest, run: Run) -> bool:
    given = token(request)
    return given is not None and secrets.compare_digest(digest(given), run.owner)


def remember(request: HttpRequest, response: HttpResponse, signed: str) -> None:
    response.set_cookie(
        _COOKIE,
        signed,
        max_age=_YEAR_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )
