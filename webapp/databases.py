"""DATABASE_URL to Django's database settings: SQLite in WAL mode by default, else PostgreSQL."""

from pathlib import Path
from typing import Any

import dj_database_url

# Web and worker write at the same time. WAL lets readers go on beside a writer; IMMEDIATE takes the
# write lock when a transaction begins, so that the timeout holds and none fails half-way.
_SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}


def database(url: str) -> dict[str, Any]:
    """The settings for one URL; creates the folder of an SQLite file. Raises ValueError for a URL
    of an unknown scheme."""
    settings: dict[str, Any] = dict(dj_database_url.parse(url))
    if settings["ENGINE"] == "django.db.backends.sqlite3":
        Path(settings["NAME"]).parent.mkdir(parents=True, exist_ok=True)
        settings["OPTIONS"] = {**settings.get("OPTIONS", {}), **_SQLITE}
    return settings
