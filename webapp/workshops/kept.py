"""What all workshops together keep, and that it has a bound: each has bounds of its own, and nobody
opens so many at once that these would add up to a disk; in a month somebody might."""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.db.models import BinaryField, Field, JSONField, Model, Sum, TextField
from django.db.models.functions import Cast, Length

from webapp.errors import Refusal

MIB = 2**20
# The sum is not asked for more often, in seconds: for it the database reads all there is.
_SUM_KEPT = 60
_LONG = (TextField, BinaryField, JSONField)
_LATER = (
    "Hand out or open less, or wait until old workshops expire; whoever runs this service can raise"
    " FUSELAB_WORKSHOPS_MB."
)


def full(what: str) -> Refusal | None:
    """Why nothing more can be kept in workshops, in which `what` is named; None if it can."""
    if all_bytes() <= settings.WORKSHOPS_MB * MIB:
        return None
    most = f"{settings.WORKSHOPS_MB:,} MiB"
    return Refusal(503, f"There is no room for {what}: all workshops take their {most}.", _LATER)


def all_bytes() -> int:
    """What the texts and courses of all workshops take, as it was a moment ago."""
    return cache.get_or_set("workshops-bytes", _sum, _SUM_KEPT) or 0


def _sum() -> int:
    found = (
        _of(model, field)
        for model in apps.get_models()
        if model.__module__.startswith(__package__)
        for field in model._meta.get_fields()
        if isinstance(field, _LONG)
    )
    return sum(found)


def _of(model: type[Model], field: "Field[Any, Any]") -> int:
    is_json = isinstance(field, JSONField)
    length = Length(Cast(field.name, TextField()) if is_json else field.name)
    return model._default_manager.aggregate(sum=Sum(length))["sum"] or 0
