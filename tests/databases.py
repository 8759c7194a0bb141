"""The tests' own database as other processes see it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import quote

import psycopg
from django.apps import apps
from django.db import connection


def url() -> str:
    """Where it is, for another process."""
    has = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{has['NAME']}"
    who = f"{quote(has['USER'], safe='')}:{quote(has['PASSWORD'], safe='')}"
    return f"postgresql://{who}@{has['HOST']}:{has['PORT']}/{has['NAME']}"


@contextmanager
def locked() -> Iterator[None]:
    """Somebody else holds it for writing; it can be read. Any thread may end it."""
    with closing(_other()) as other:
        if connection.vendor == "sqlite":
            other.execute("BEGIN IMMEDIATE")
        else:
            tables = ", ".join(f'"{each._meta.db_table}"' for each in apps.get_models())
            other.execute(f"LOCK TABLE {tables} IN EXCLUSIVE MODE")
        yield
        other.rollback()


def somebody_writes() -> bool:
    """Whether another process is within a transaction."""
    with closing(_other(timeout=0)) as other:
        if connection.vendor == "sqlite":
            try:
                other.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError:
                return True
            return False
        others = (
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL"
        )
        return other.execute(others).fetchone() is not None


def _other(timeout: float = 5) -> Any:
    """A connection of nobody's beside."""
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        return sqlite3.connect(name, timeout=timeout, isolation_level=None, check_same_thread=False)
    return psycopg.connect(url())
