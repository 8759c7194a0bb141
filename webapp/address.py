"""Whom a request comes from, for what is counted by address."""

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

# Whoever has one address of IPv6 has all that begin so.
_SIX_BITS = 64


def address(scope: dict[str, Any]) -> str:
    """The address that a request is sent from, or where there are proxies in front
    (FUSELAB_PROXIES) the one that the outermost of them was asked from; of IPv6 its network."""
    client = scope.get("client")
    forwarded = dict(scope.get("headers", ())).get(b"x-forwarded-for", b"").decode("latin-1")
    return _counted(client[0] if client else "", forwarded)


def address_of(request: HttpRequest) -> str:
    """The same of a request as a view has it."""
    asked = request.META
    return _counted(asked.get("REMOTE_ADDR", ""), asked.get("HTTP_X_FORWARDED_FOR", ""))


def digest_of(request: HttpRequest) -> str:
    """What is stored of it: who reads the database does not read addresses."""
    return salted_hmac("webapp.address", address_of(request), algorithm="sha256").hexdigest()


def _counted(direct: str, forwarded: str) -> str:
    proxies = settings.NINJA_NUM_PROXIES
    if proxies and forwarded:
        return network([part.strip() for part in forwarded.split(",")][-proxies:][0])
    return network(direct)


def network(text: str) -> str:
    """What is counted as one with this address: of IPv6 all that begin as it does."""
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if not isinstance(found, IPv6Address):
        return text
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ip_network((found, _SIX_BITS), strict=False))
