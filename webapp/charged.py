"""What an answer costs beside its request, paid by whoever asked."""

from math import ceil

from django.http import HttpRequest

from webapp.budget import Purse
from webapp.errors import Refusal, Refused


def charge(request: HttpRequest, cost: float) -> None:
    """Takes so many milliseconds from the budget of the request's address. Raises Refused (429)."""
    purse = purse_of(request)
    if purse and (wait := ceil(purse.charge(cost))):
        message = "This address asks for more than one person can read."
        raise Refused(Refusal(429, message, f"Try again in {wait} s."))


def purse_of(request: HttpRequest) -> Purse | None:
    """The budget of whom a request comes from; None where nobody counts, as in a test."""
    purse: Purse | None = getattr(request, "scope", {}).get("purse")
    return purse
