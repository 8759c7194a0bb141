"""What the server sends is compressed where the reader says that it takes that."""

import gzip

import pytest
from django.http import StreamingHttpResponse

from tests.webapp.browser import Browser
from webapp.packing import Whole


def test_an_answer_of_the_api(bob):
    plain = bob.get("/api/v1/openapi.json")
    answer = bob.get("/api/v1/openapi.json", headers={"accept-encoding": "gzip, br"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer.headers["Vary"]
    assert gzip.decompress(answer.content) == plain.content
    assert len(answer.content) < len(plain.content) / 4


@pytest.mark.parametrize("taken", ["", "br", "gzip;q=0", "br, gzip; q=0.0", "gzip;q=0, br"])
def test_who_takes_none_is_sent_none(bob, taken):
    answer = bob.get("/api/v1/openapi.json", headers={"accept-encoding": taken})
    assert "Content-Encoding" not in answer.headers and answer.content.startswith(b"{")


@pytest.mark.parametrize("taken", ["gzip", "gzip;q=0.5", "gzip; q=1.0, br"])
def test_who_takes_it_is_sent_it(bob, taken):
    answer = bob.get("/api/v1/openapi.json", headers={"accept-encoding": taken})
    assert answer.headers["Content-Encoding"] == "gzip"


@pytest.mark.parametrize("taken", ["", "gzip"])
def test_what_is_sent_piece_by_piece_is_packed_by_who_makes_it_or_not_at_all(rf, taken):
    pieces = StreamingHttpResponse([b"x" * 1000, b"y" * 1000])
    answer = Whole(lambda request: pieces)(rf.get("/", headers={"accept-encoding": taken}))
    assert "Content-Encoding" not in answer.headers
    assert b"".join(answer) == b"x" * 1000 + b"y" * 1000


@pytest.mark.parametrize("encoding", ["br", "gzip"])
def test_a_script_of_the_page_comes_as_the_build_compressed_it(tmp_path, settings, encoding):
    script = tmp_path / "app" / "assets" / "index-abcdefgh.js"
    script.parent.mkdir(parents=True)
    script.write_text("let x = 1;\n" * 100)
    script.with_name("index-abcdefgh.js.br").write_bytes(b"as built: br")
    script.with_name("index-abcdefgh.js.gz").write_bytes(b"as built: gzip")
    settings.STATICFILES_DIRS = [tmp_path]
    url = "/static/app/assets/index-abcdefgh.js"
    answer = Browser().get(url, headers={"accept-encoding": encoding})
    assert answer.headers["Content-Encoding"] == encoding
    assert answer.content == f"as built: {encoding}".encode()
    assert "immutable" in answer.headers["Cache-Control"]
