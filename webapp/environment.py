"""Settings from environment variables. Each function raises ImproperlyConfigured, naming the
variable, for a value that cannot be used."""

import os
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}


def text(name: str, default: str) -> str:
    """A variable's text."""
    return os.environ.get(name) or default


def flag(name: str, default: bool = False) -> bool:
    """A variable that is 1 (true) or 0; blank is as unset, as for all others."""
    value = (os.environ.get(name) or str(default)).strip().lower()
    if value not in _FLAGS:
        raise ImproperlyConfigured(f'{name} is "{value}"; set it to 1 or 0.')
    return _FLAGS[value]


def number(name: str, default: int) -> int:
    """A variable that is a whole number."""
    value = os.environ.get(name) or str(default)
    if not value.isdecimal():
        raise ImproperlyConfigured(f'{name} is "{value}"; set it to a whole number.')
    return int(value)


def choice(name: str, among: Sequence[str]) -> str:
    """One of `among`; the first if the variable is not set."""
    value = os.environ.get(name) or among[0]
    if value not in among:
        raise ImproperlyConfigured(f'{name} is "{value}"; set it to {" or ".join(among)}.')
    return value


def words(name: str, default: str) -> list[str]:
    """A comma-separated list."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]
