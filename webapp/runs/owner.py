"""The owner of a run: a random token, in a signed cookie for browsers and a bearer token for
scripts.

The database has only its digest, so that reading the database does not allow acting as an owner.
"""

import hashlib
import secrets

from django.core.signing import BadSignature, Signer
from django.http import HttpRequest, HttpResponse
from django.http.cookie import parse_cookie

_COOKIE = "fuselab_owner"
_YEAR_SECONDS = 365 * 24 * 3600
_signer = Signer(salt="webapp.runs.owner")


def token(request: HttpRequest) -> str | None:
    """The signed token of `request`; None if it has none or a forged one."""
    return _proven(request.headers.get("Authorization", ""), request.COOKIES.get(_COOKIE, ""))


def _proven(authorization: str, cookie: str) -> str | None:
    scheme, _, bearer = authorization.partition(" ")
    given = bearer if scheme.lower() == "bearer" else cookie
    try:
        _signer.unsign(given)
    except BadSignature:
        return None
    return given


def new_token() -> str:
    """A new signed token."""
    return _signer.sign(secrets.token_urlsafe(24))


def digest(signed: str) -> str:
    """The digest of a signed token, as it is stored."""
    return hashlib.sha256(signed.encode()).hexdigest()


def digest_of(request: HttpRequest) -> str:
    """The digest of the request's token; "" if it has none."""
    given = token(request)
    return "" if given is None else digest(given)


def digest_of_socket(headers: dict[bytes, bytes]) -> str:
    """The digest of the owner of a WebSocket, by the headers that it was asked for with."""
    cookies = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))
    authorization = headers.get(b"authorization", b"").decode("latin-1")
    given = _proven(authorization, cookies.get(_COOKIE, ""))
    return "" if given is None else digest(given)


def remember(request: HttpRequest, response: HttpResponse, signed: str) -> None:
    """Sets the cookie with the signed token."""
    response.set_cookie(
        _COOKIE,
        signed,
        max_age=_YEAR_SECONDS,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )
