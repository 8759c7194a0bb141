"""Static files."""

import tracemalloc

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.test import Client

from tests.webapp.browser import Browser


@pytest.fixture
def folder(tmp_path, settings):
    settings.STATICFILES_DIRS = [tmp_path]
    return tmp_path


def test_a_file_that_was_built_after_the_server_began_is_served(folder):
    client = Browser()
    assert client.get("/static/app/assets/index-abcdefgh.js").status_code == 404
    script = folder / "app" / "assets" / "index-abcdefgh.js"
    script.parent.mkdir(parents=True)
    script.write_text("let x = 1;")
    answer = client.get("/static/app/assets/index-abcdefgh.js")
    assert answer.content == b"let x = 1;"
    assert "immutable" in answer.headers["Cache-Control"]


def test_a_file_that_another_build_took_away_is_not_found(folder):
    client = Browser()
    script = folder / "app" / "assets" / "part-abcdefgh.js"
    script.parent.mkdir(parents=True)
    script.write_text("let x = 1;")
    assert client.get("/static/app/assets/part-abcdefgh.js").content == b"let x = 1;"
    script.unlink()
    assert client.get("/static/app/assets/part-abcdefgh.js").status_code == 404


def test_nothing_outside_of_the_folder_is_a_static_file(folder):
    folder.with_name("secret.txt").write_text("secret")
    assert Browser().get("/static/../secret.txt").status_code == 404


def test_a_large_file_is_read_as_it_is_sent(folder):
    """The formatter has 11 MB, and costs nobody anything to ask for."""
    (folder / "large.bin").write_bytes(bytes(2**23))

    async def held():
        answer = await sync_to_async(Client().get)("/static/large.bin")
        parts = aiter(answer)
        tracemalloc.start()
        first = await anext(parts)
        held = tracemalloc.get_traced_memory()[0] - len(first)
        tracemalloc.stop()
        whole = len(first) + sum([len(part) async for part in parts])
        return held, whole

    held, whole = async_to_sync(held)()
    assert (held < 2**18, whole) == (True, 2**23)
