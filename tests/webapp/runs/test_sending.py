"""A large report is sent piece by piece, as it is stored where that is possible, and paid for."""

import gzip
import json
import random
import threading
import tracemalloc
import zlib

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connections
from django.db.models.functions import Length
from django.test import RequestFactory

from compiler_core import report
from webapp.budget import Budgets, Purse
from webapp.errors import Refused
from webapp.middleware import database_let_go
from webapp.runs import api, compared, events, joined, lifecycle, pieces, sending, texts, views
from webapp.runs.models import Run, RunArtifact, RunText

pytestmark = [
    pytest.mark.service,
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume"),
]


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


@pytest.fixture
def large(run, story):
    """A run that has ended, whose report and whose one text are of many pieces."""
    lifecycle.start(run.pk)
    numbers = random.Random(0)
    said = [report.Printed("stdout", numbers.randbytes(25_000).hex()) for _ in range(12)]
    file = report.Artifact("a", "ir", "text", numbers.randbytes(500_000).hex())
    others = [report.Artifact(f"{n:0100}", "ir", "text", "") for n in range(2000)]
    stage = report.StageDone(0, report.Stage("fold", "ok", 1.0, [file, *others]))
    for event in (*story[:3], *said, stage, story[3]):
        events.append(run.pk, [event])
    lifecycle.finish(run.pk, "done")
    return Run.objects.get(pk=run.pk)


def asked(query="", gzip="", purse=None):
    request = RequestFactory().get(f"/{query}", headers={"Accept-Encoding": gzip})
    request.scope = {"purse": purse} if purse else {}
    return request


def content(answer):
    whole = b"".join(answer)
    return gzip.decompress(whole) if answer.has_header("Content-Encoding") else whole


@pytest.mark.parametrize("takes", ["", "gzip"])
@pytest.mark.parametrize("query", ["", "?texts=none"])
def test_it_is_the_same_however_it_is_sent(large, query, takes):
    answer = api.read(asked(query, takes), large.pk)
    assert answer.streaming and answer.headers.get("Content-Encoding", "") == takes
    got = json.loads(content(answer))
    assert (got["id"], got["state"], len(got["report"]["output"]["stdout"])) == (
        large.pk, "done", 600_000,
    )  # fmt: skip
    text = got["report"]["programs"][0]["stages"][1]["artifacts"][0]["text"]
    assert len(text) == (0 if query else 1_000_000)


def test_what_is_stored_in_gzip_is_neither_unpacked_nor_packed(large, monkeypatch):
    monkeypatch.setattr(pieces, "unpacked", None)
    monkeypatch.setattr(sending, "Packer", None)
    answer = api.read(asked("?texts=none", "gzip"), large.pk)
    sent = b"".join(answer)
    assert bytes(large.report)[10:-10] in sent
    assert json.loads(gzip.decompress(sent))["report"]["schema"] == report.SCHEMA


def test_a_report_that_was_stored_otherwise_is_packed_again(large):
    plain = gzip.decompress(bytes(large.report))
    Run.objects.filter(pk=large.pk).update(report=gzip.compress(plain))
    got = json.loads(content(api.read(asked("?texts=none", "gzip"), large.pk)))
    assert len(got["report"]["output"]["stdout"]) == 600_000


def test_nothing_of_it_is_read_before_it_is_wanted(large, django_assert_max_num_queries):
    with django_assert_max_num_queries(8):
        answer = api.read(asked("?texts=all"), large.pk)
    assert answer.streaming


@pytest.mark.parametrize("first", [b"", b"{" * 10, b"x" * 70_000])
def test_texts_are_joined_without_being_unpacked(first):
    text = random.Random(1).randbytes(100_000)
    packed = joined.packed(text, 6)
    assert gzip.decompress(packed) == text
    end = packed[-joined.END_BYTES :]
    assert joined.is_joinable(end) and not joined.is_joinable(gzip.compress(text)[-14:])
    around = joined.Around(first, end, b"}")
    inner = around.inner(len(packed))
    whole = around.before + packed[inner.start : inner.stop] + around.after
    assert gzip.decompress(whole) == first + text + b"}"
    # As a browser reads it: one stream and nothing behind it.
    by = zlib.decompressobj(31)
    assert by.decompress(whole) and by.eof and not by.unused_data


def test_who_has_spent_the_budget_has_no_two_reports_compared(large, monkeypatch):
    monkeypatch.setattr(api, "_comparisons", compared.comparisons(0))
    purse = Purse(Budgets(1, 1000, Clock()), "a")
    assert api.compare(asked(purse=purse), large.pk, large.pk).status_code == 200
    with pytest.raises(Refused, match="more than one person can read"):
        for _ in range(20):
            api.compare(asked(purse=purse), large.pk, large.pk)


def test_who_opens_a_comparison_again_and_again_is_not_shut_out(large):
    purse = Purse(Budgets(1, 1000, Clock()), "a")
    first, *others = (
        api.compare(asked(purse=purse), large.pk, large.pk).content for _ in range(50)
    )
    assert {*others} == {first}


def test_a_report_that_is_too_large_is_not_compared(large, bob, monkeypatch):
    monkeypatch.setattr(views, "MOST_COMPARED_BYTES", 100_000)
    monkeypatch.setattr(report, "decode_report", None)
    answer = bob.get(f"/api/v1/runs/{large.pk}/compare/{large.pk}")
    assert answer.status_code == 422
    assert "is not compared" in answer.json()["error"]["message"]


@pytest.mark.parametrize("said", [0, 4])
def test_the_texts_of_a_run_that_ended_are_listed_without_its_report(
    run, story, bob, monkeypatch, said
):
    lifecycle.start(run.pk)
    events.append(run.pk, [*story[:said], report.Printed("stdout", "x")])
    lifecycle.finish(run.pk, "failed", report.Failure("memory", "It used more than it may."))
    monkeypatch.setattr(report, "decode_report", None)
    monkeypatch.setattr(events, "beginning", None)
    listed = bob.get(f"/api/v1/runs/{run.pk}/artifacts").json()["artifacts"]
    assert len(listed) == (1 if said else 0) == RunArtifact.objects.filter(run=run).count()
    assert bob.get(f"/api/v1/runs/{run.pk}/artifacts/0.no.text").status_code == 404


def test_a_text_that_was_left_out_says_so_without_the_report(run, story, bob, monkeypatch):
    monkeypatch.setattr(texts, "MOST_BYTES", 1)
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    lifecycle.finish(run.pk, "done")
    monkeypatch.setattr(report, "decode_report", None)
    assert bob.get(f"/api/v1/runs/{run.pk}/artifacts/0.capture.ir").content.startswith(b"Left out")


@pytest.mark.parametrize("at", [range(10), range(5, 400_000), range(499_990, 600_000), range(9, 9)])
def test_a_part_of_a_field_is_that_part(run, at):
    content = random.Random(1).randbytes(500_000)
    Run.objects.filter(pk=run.pk).update(report=content)
    assert pieces.part(Run.objects.filter(pk=run.pk), "report", at) == content[at.start : at.stop]


def test_an_answer_that_is_read_slowly_holds_no_connection_of_its_request(large, monkeypatch):
    made_in = set()
    part = pieces.part

    def noted(*given):
        made_in.add(threading.current_thread().name)
        return part(*given)

    monkeypatch.setattr(pieces, "part", noted)
    answer = database_let_go(lambda request: api.read(request, large.pk))(asked())
    assert not [each for each in connections.all(initialized_only=True) if each.connection]
    made_in.clear()
    assert content(answer)
    assert made_in and all(name.startswith("pieces") for name in made_in)


def _report(request, run_id):
    return api.read(asked("?texts=none", request.headers["Accept-Encoding"]), run_id)


def _text(request, run_id):
    return api.text(
        request,
        run_id,
        RunText.objects.filter(run=run_id).order_by(Length("content")).last().sha256,
    )


ANSWERS = {
    "all of it": api.read,
    "its report": _report,
    "a text": lambda request, run_id: api.artifact(request, run_id, "0.fold.a"),
    "a text with its lines": _text,
    "the list of its texts": api.list_artifacts,
}


@pytest.mark.parametrize("takes", ["", "gzip"])
@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_that_is_not_read_on_holds_a_few_pieces_of_it(large, what, takes):
    """Two hundred of them are then some eighty MiB."""
    begun = []

    async def begin():
        answer = await sync_to_async(ANSWERS[what])(asked(gzip=takes), large.pk)
        parts = aiter(answer)
        # Of the first the kernel takes what it keeps; of the second nothing.
        begun.append((parts, await anext(parts), await anext(parts)))

    async def held():
        await begin()
        tracemalloc.start()
        for _ in range(10):
            await begin()
        return tracemalloc.get_traced_memory()[0] / 10

    each = async_to_sync(held)()
    tracemalloc.stop()
    assert each < 450 * 2**10
