"""The key that signs cookies, where the environment has none: generated once and kept in var/."""

import os
import secrets
from pathlib import Path


def kept_key(path: Path) -> str:
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
