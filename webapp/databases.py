"""DATABASE_URL to Django's database settings: SQLite in WAL mode by default, else PostgreSQL."""

from pathlib import Path
from typing import Any

import dj_database_url

# Whoever would wait longer for a lock that another holds is refused; or for one of the connections
# that requests share, each of which has it for a moment: whoever has waited for a second of that
# asks whether the server is there at all.
LOCKED_S, SHARED_S, LOOK_S = 5, 10, 1
# Whoever holds locks and says nothing, for their process stands still, loses both.
_SILENT_S = 20

# Web and worker write at the same time. WAL lets readers go on beside a writer; IMMEDIATE takes the
# write lock when a transaction begins, so that the timeout holds and none fails half-way.
_SQLITE = {
    "transaction_mode": "IMMEDIATE",
    "timeout": LOCKED_S,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
_POSTGRESQL = {
    "connect_timeout": LOCKED_S,
    # Of a server whose machine is gone: milliseconds until what was sent to it is given up.
    "tcp_user_timeout": 1000 * _SILENT_S,
    "options": f"-c lock_timeout={LOCKED_S}s -c idle_in_transaction_session_timeout={_SILENT_S}s",
}
_OPTIONS = {
    "django.db.backends.sqlite3": _SQLITE,
    "django.db.backends.postgresql": _POSTGRESQL,
}


def database(url: str) -> dict[str, Any]:
    """The settings for one URL; creates the folder of an SQLite file. Raises ValueError for a URL
    of an unknown scheme."""
    settings: dict[str, Any] = dict(dj_database_url.parse(url))
    if settings["ENGINE"] == "django.db.backends.sqlite3":
        Path(settings["NAME"]).parent.mkdir(parents=True, exist_ok=True)
    settings["OPTIONS"] = _OPTIONS.get(settings["ENGINE"], {}) | settings.get("OPTIONS", {})
    return settings


def share(settings: dict[str, Any], at_most: int) -> None:
    """All threads of this process share so many connections to a server from now on: each request
    has a thread, and a server has few connections, which workers need too. A file has no such
    bound."""
    if settings["ENGINE"] == "django.db.backends.postgresql":
        settings["ENGINE"] = "webapp.postgresql"
        # One that broke while nobody had it is not given to anybody.
        settings["CONN_HEALTH_CHECKS"] = True
        settings["OPTIONS"]["pool"] = {
            "min_size": 1,
            "max_size": at_most,
            "timeout": LOOK_S,
            # Whoever comes after it was away tries anew, and does not wait for a pause to end.
            "reconnect_timeout": LOCKED_S,
        }
