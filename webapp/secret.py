"""The key that signs cookies, where the environment has none: generated once and kept in var/."""

import os
import secrets
import zlib
from itertools import pairwise
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

# As Django's own check of a deployment has them.
_LENGTH, _DIFFERENT, _EXAMPLE = 50, 5, "django-insecure-"
# Bytes that zlib makes of a key, or of the steps from one of its characters to the next: of fifty
# random decimal digits, which are the least, 42 and more.
_COMPRESSED = 32


def stored_key(path: Path) -> str:
    """The key in the file `path`, which is created if necessary, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(secrets.token_urlsafe(48))
    try:
        # A link appears whole or not at all: web and worker may start at the same moment.
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_text()


def require_strong(key: str) -> None:
    """Raises ImproperlyConfigured for a key that strangers could guess: with it they could act as
    the owner of any run."""
    short = len(key) < _LENGTH or len(set(key)) < _DIFFERENT
    if short or key.startswith(_EXAMPLE) or _repeats(key):
        repeats = ", which repeat" if _repeats(key) else ""
        raise ImproperlyConfigured(
            f"FUSELAB_SECRET_KEY can be guessed: it has {len(key)} characters, {len(set(key))} "
            f"different ones{repeats}. Set it to at least {_LENGTH} random ones, such as those of "
            '`python3 -c "import secrets; print(secrets.token_urlsafe(48))"`, or leave it unset '
            "on a single machine: one is then made and kept in var/secret-key."
        )


def _repeats(key: str) -> bool:
    """Whether it is a few characters again and again, or a row such as abc or 987."""
    signs = key.encode()
    steps = bytes((after - before) % 256 for before, after in pairwise(signs))
    return any(len(zlib.compress(each, 9)) < _COMPRESSED for each in (signs, steps))
