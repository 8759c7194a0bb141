"""What the server sends is compressed where the reader says that it takes that."""

import gzip

import pytest
from django.test import Client


def test_an_answer_of_the_api(bob):
    plain = bob.get("/api/v1/openapi.json")
    answer = bob.get("/api/v1/openapi.json", headers={"accept-encoding": "gzip, br"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert gzip.decompress(answer.content) == plain.content
    assert len(answer.content) < len(plain.content) / 4


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_a_script_of_the_page_comes_as_the_build_compressed_it(tmp_path, settings, encoding):
    script = tmp_path / "app" / "assets" / "index-abcdefgh.js"
    script.parent.mkdir(parents=True)
    script.write_text("let x = 1;\n" * 100)
    script.with_name("index-abcdefgh.js.br").write_bytes(b"as built: br")
    script.with_name("index-abcdefgh.js.gz").write_bytes(b"as built: gzip")
    settings.STATICFILES_DIRS = [tmp_path]
    url = "/static/app/assets/index-abcdefgh.js"
    answer = Client().get(url, headers={"accept-encoding": encoding})
    assert answer.headers["Content-Encoding"] == encoding
    assert answer.getvalue() == f"as built: {encoding}".encode()
    assert "immutable" in answer.headers["Cache-Control"]
