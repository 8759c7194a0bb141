"""Which connections to the database stay open."""

import asyncio

import pytest
from django.db import DatabaseError, connection

from webapp.live.database import in_database

pytestmark = pytest.mark.django_db(transaction=True)


def opened() -> object:
    connection.ensure_connection()
    return connection.connection


def break_it() -> None:
    connection.cursor().execute("SELECT nothing FROM nowhere")


async def test_sockets_ask_over_one_connection() -> None:
    first, second = await asyncio.gather(in_database(opened)(), in_database(opened)())
    assert first is second
    assert await in_database(opened)() is first


async def test_one_over_which_something_failed_is_opened_again() -> None:
    first = await in_database(opened)()
    with pytest.raises(DatabaseError):
        await in_database(break_it)()
    assert await in_database(opened)() is not first
