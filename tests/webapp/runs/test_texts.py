"""The texts of a run apart from its events and its report."""

import gzip
import json
import random

import pytest
from django.utils import timezone

from compiler_core import report
from webapp.runs import events, lifecycle, texts
from webapp.runs.applied import apply_all
from webapp.runs.models import Run, RunEvent, RunText

pytestmark = pytest.mark.service

LONG = "".join(f"%{i} = multiply(%{i - 1}, 2)\n" for i in range(400))


@pytest.fixture(autouse=True)
def _server(server):
    """Announcements go to a real Redis."""


def done(name, *artifacts, **fields):
    return report.StageDone(0, report.Stage(name, "ok", 1.0, list(artifacts), **fields))


def ir(name, text=LONG, nodes=()):
    return report.Artifact(name, "ir", "fuselab", text, [list(n) for n in nodes])


def noise(seed, size=3 * 2**20):
    """A text that no compression makes smaller than half of it."""
    return random.Random(seed).randbytes(size).hex()


@pytest.fixture
def passes(story):
    """Two passes, whose three texts are five artifacts with the captured one."""
    first = done("fold", ir("before", nodes=[[1], [2]]), ir("after", LONG + "a"))
    second = done("tidy", ir("before", LONG + "a"), ir("after", LONG + "b"))
    return [*story[:3], first, second, story[3]]


@pytest.fixture
def ended(run, passes):
    lifecycle.start(run.pk)
    events.append(run.pk, passes)
    lifecycle.finish(run.pk, "done")
    run.refresh_from_db()
    return run


def artifacts(got):
    return [a for stage in got["programs"][0]["stages"] for a in stage["artifacts"]]


def test_a_script_gets_the_whole_report_as_the_runner_sent_it(ended, passes, bob):
    whole = apply_all(passes)
    got = bob.get(f"/api/v1/runs/{ended.pk}").json()["report"]
    sent = json.loads(report.encode_report(whole))
    for artifact in artifacts(got):
        artifact["stored"] = None
    assert got == sent


@pytest.mark.parametrize("state", ["running", "done"])
def test_the_page_gets_it_without_the_texts_and_each_text_by_its_hash(run, passes, bob, state):
    lifecycle.start(run.pk)
    events.append(run.pk, passes)
    if state == "done":
        lifecycle.finish(run.pk, state)
    got = bob.get(f"/api/v1/runs/{run.pk}?texts=none").json()["report"]
    whole = artifacts(bob.get(f"/api/v1/runs/{run.pk}").json()["report"])
    cut = artifacts(got)
    assert [a["text"] for a in cut[1:]] == [""] * 4
    for one, other in zip(cut, whole, strict=True):
        text = bob.get(f"/api/v1/runs/{run.pk}/texts/{one['stored']['sha256']}").json()
        assert text == {"text": other["text"], "nodes": other["nodes"]}


def test_equal_texts_are_kept_once(ended):
    assert RunText.objects.filter(run=ended).count() == 4


def test_a_text_is_sent_as_it_is_kept_and_may_be_kept_by_the_reader_for_ever(ended, bob):
    [row] = RunText.objects.filter(run=ended)[:1]
    url = f"/api/v1/runs/{ended.pk}/texts/{row.sha256}"
    answer = bob.get(url, headers={"accept-encoding": "gzip"})
    assert answer.content == bytes(row.content)
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Cache-Control"] == "private, max-age=31536000, immutable"
    assert bob.get(url).content == gzip.decompress(answer.content)
    again = bob.get(url, headers={"if-none-match": answer.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_text_is_of_its_run_alone(ended, make_run, bob):
    [row] = RunText.objects.filter(run=ended)[:1]
    for other in (make_run().pk, "nope"):
        assert bob.get(f"/api/v1/runs/{other}/texts/{row.sha256}").status_code == 404
    ended.delete()
    assert bob.get(f"/api/v1/runs/{ended.pk}/texts/{row.sha256}").status_code == 404


def test_another_word_for_which_texts_is_refused_by_name(ended, bob):
    answer = bob.get(f"/api/v1/runs/{ended.pk}?texts=some")
    assert (answer.status_code, answer.json()["error"]["input"]) == (422, "texts")


def test_an_event_carries_small_texts_and_the_first_look(run, story):
    lifecycle.start(run.pk)
    capture = done("capture", ir("captured"), kind="capture")
    theirs = done("dynamo", ir("graph"), kind="capture", compiler="xla")
    events.append(run.pk, [*story[:2], capture, theirs, done("fold", ir("small", "x = 1"))])
    payloads = [report.decode_event(payload) for _, payload in events.after(run.pk, 2)]
    sent = [event.stage.artifacts[0] for event in payloads]
    assert [len(a.text) for a in sent] == [len(LONG), 0, 5]
    assert all(a.stored for a in sent)


def test_a_runner_cannot_say_where_its_texts_are_kept(run, story, bob):
    forged = report.StoredText("0" * 64, 10**9, 1)
    empty = report.Artifact("a", "c", "c", "", stored=forged)
    full = report.Artifact("b", "c", "c", "int x;", stored=forged)
    lifecycle.start(run.pk)
    events.append(run.pk, [*story[:2], done("s", empty, full)])
    lifecycle.finish(run.pk, "done")
    first, second = artifacts(bob.get(f"/api/v1/runs/{run.pk}").json()["report"])
    assert first["stored"] is None
    assert (second["text"], second["stored"]["bytes"]) == ("int x;", 6)


def test_a_run_begun_again_has_none_of_the_texts_of_the_first(run, passes):
    first = lifecycle.start(run.pk)
    events.append(run.pk, passes)
    lifecycle.wait_again(run.pk, first.attempt)
    lifecycle.start(run.pk)
    run.refresh_from_db()
    assert (RunText.objects.count(), run.stored) == (0, 0)


def test_texts_beyond_what_a_run_keeps_are_left_out_and_the_report_says_so(
    run, story, bob, monkeypatch
):
    monkeypatch.setattr(texts, "MOST_BYTES", 4 * 2**20)
    lifecycle.start(run.pk)
    many = [done(f"s{i}", ir("ir", noise(i))) for i in range(3)]
    for event in (*story[:2], *many, done("last", ir("ir", "small"))):
        events.append(run.pk, [event])
    lifecycle.finish(run.pk, "done")
    got = json.loads(b"".join(bob.get(f"/api/v1/runs/{run.pk}")))["report"]
    assert [len(a["text"]) > 2**20 for a in artifacts(got)] == [True, False, False, False]
    assert [a["text"][:9] for a in artifacts(got)[1:]] == ["Left out:", "Left out:", "small"]
    assert [notice["level"] for notice in got["notices"]] == ["warning"]
    run.refresh_from_db()
    assert run.stored < texts.MOST_BYTES


def test_a_million_tiny_texts_are_not_kept(run, story, monkeypatch):
    monkeypatch.setattr(texts, "MOST_BYTES", 20_000)
    lifecycle.start(run.pk)
    events.append(run.pk, [*story[:2], done("s", *(ir(f"{i}", f"x{i}") for i in range(100)))])
    assert 10 < RunText.objects.filter(run=run).count() < 40


def test_events_beyond_what_a_run_keeps_end_it(run, story, monkeypatch):
    monkeypatch.setattr(events, "MOST_BYTES", 10_000)
    lifecycle.start(run.pk)
    events.append(run.pk, story[:2])
    with pytest.raises(events.TooMuch):
        events.append(run.pk, [report.Printed("stdout", "x" * 10_000)])
    assert events.last_seq(run.pk) == 2


def test_events_are_dropped_a_while_after_their_run_has_ended(ended, passes, make_run, bob):
    before = bob.get(f"/api/v1/runs/{ended.pk}").json()
    assert RunEvent.objects.filter(run=ended).count() == len(passes)
    Run.objects.filter(pk=ended.pk).update(finished=timezone.now() - events.KEPT_FOR)
    other = make_run()
    lifecycle.start(other.pk)
    events.append(other.pk, passes)
    lifecycle.finish(other.pk, "done")
    assert RunEvent.objects.filter(run=ended).count() == 0
    assert RunEvent.objects.filter(run=other).count() == len(passes)
    after = bob.get(f"/api/v1/runs/{ended.pk}").json()
    assert after["report"] == before["report"]
    assert after["seq"] == before["seq"]


def test_a_report_in_todays_form_is_sent_without_being_decoded(ended, bob, monkeypatch):
    monkeypatch.setattr(report, "current", None)
    assert bob.get(f"/api/v1/runs/{ended.pk}").status_code == 200


def test_a_report_in_another_form_is_made_one_of_today(ended, bob):
    """A field was added since: what is stored has its texts apart, and lacks the field."""
    raw = gzip.decompress(ended.report).replace(b',"added":null,"removed":null', b"")
    Run.objects.filter(pk=ended.pk).update(report=gzip.compress(raw), form="another")
    stages = bob.get(f"/api/v1/runs/{ended.pk}").json()["report"]["programs"][0]["stages"]
    assert [stage["added"] for stage in stages] == [None] * 3
    assert stages[1]["artifacts"][0]["text"] == LONG


@pytest.mark.parametrize("unknown", ["nope", "a" * 64, "a" * 5000, "%00", "é"])
def test_an_unknown_text_is_one_sentence(run, bob, unknown):
    answer = bob.get(f"/api/v1/runs/{run.pk}/texts/{unknown}")
    assert answer.status_code == 404
    assert "has no text with the hash" in answer.json()["error"]["message"]


def test_who_wants_a_text_gets_it_without_the_line_map_beside_it(run):
    """A million of lists is small as JSON, and large as objects."""
    stored = gzip.compress(b'{"text":"a text","nodes":["built by nobody"]}')
    RunText.objects.create(run=run, sha256="0" * 64, content=stored)
    assert b"".join(texts.read(run.pk, "0" * 64)) == b"a text"
