"""Static files."""

import pytest
from django.test import Client


@pytest.fixture
def folder(tmp_path, settings):
    settings.STATICFILES_DIRS = [tmp_path]
    return tmp_path


def test_a_file_that_was_built_after_the_server_began_is_served(folder):
    client = Client()
    assert client.get("/static/app/assets/index-abcdefgh.js").status_code == 404
    script = folder / "app" / "assets" / "index-abcdefgh.js"
    script.parent.mkdir(parents=True)
    script.write_text("let x = 1;")
    answer = client.get("/static/app/assets/index-abcdefgh.js")
    assert answer.getvalue() == b"let x = 1;"
    assert "immutable" in answer.headers["Cache-Control"]


def test_a_file_that_another_build_took_away_is_not_found(folder):
    client = Client()
    script = folder / "app" / "assets" / "part-abcdefgh.js"
    script.parent.mkdir(parents=True)
    script.write_text("let x = 1;")
    assert client.get("/static/app/assets/part-abcdefgh.js").getvalue() == b"let x = 1;"
    script.unlink()
    assert client.get("/static/app/assets/part-abcdefgh.js").status_code == 404


def test_nothing_outside_of_the_folder_is_a_static_file(folder):
    folder.with_name("secret.txt").write_text("secret")
    assert Client().get("/static/../secret.txt").status_code == 404
