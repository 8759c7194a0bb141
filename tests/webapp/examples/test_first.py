"""The finished example that the front page opens on."""

import gzip
from typing import Any

import msgspec
import pytest

from webapp.examples import first
from webapp.examples.gallery import gallery
from webapp.runs.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def shown(bob) -> dict[str, Any]:
    return bob.get("/api/v1/examples/first").json()


def lost(before: Any, after: Any, at: str = "") -> list[str]:
    """Where something stands in `before` and not in `after`."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            gone
            for key, value in before.items()
            for gone in (
                lost(value, after[key], f"{at}.{key}") if key in after else [f"{at}.{key}"]
            )
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            gone
            for n, pair in enumerate(zip(before, after, strict=True))
            for gone in lost(*pair, f"{at}.{n}")
        ]
    return [] if before == after else [at]


def test_it_is_a_run_that_is_done_with_its_line_machine_and_day(shown):
    run = shown["run"]
    assert run["state"] == "done" and run["finished"] and run["shared"]
    assert run["report"]["device"]["name"]
    assert first.CHOSEN in run["source"].splitlines()[shown["line"] - 1]
    (program,) = run["report"]["programs"]
    assert program["status"] == "ok"
    assert {"eager", "core", "inductor", "xla"} <= program["timings"].keys()
    assert any(node["line"] == shown["line"] for node in program["nodes"])


def test_its_text_is_that_of_the_gallery(shown):
    assert shown["run"]["source"] in [example.source for example in gallery().examples]


def test_every_text_of_it_can_be_had(shown, bob):
    run = shown["run"]
    stages = [s for program in run["report"]["programs"] for s in program["stages"]]
    stored = [a["stored"] for stage in stages for a in stage["artifacts"]]
    assert len(stored) > 10
    for each in stored:
        text = bob.get(f"/api/v1/runs/{run['id']}/texts/{each['sha256']}")
        assert len(text.json()["text"].encode()) == each["bytes"]


def test_it_is_stored_once_for_good_and_nobody_can_delete_it(shown, bob):
    again = bob.get("/api/v1/examples/first").json()
    assert again["run"]["id"] == shown["run"]["id"]
    assert Run.objects.count() == 1
    assert shown["run"]["expires"] is None
    assert bob.delete(f"/api/v1/runs/{shown['run']['id']}").status_code == 403


def test_the_file_is_of_todays_types():
    """Fields that were added have their defaults; scripts/first_example.py --fold writes them."""
    shipped = msgspec.json.decode(gzip.decompress(first.FILE.read_bytes()))
    assert lost(shipped, msgspec.json.decode(msgspec.json.encode(first.read()))) == []
