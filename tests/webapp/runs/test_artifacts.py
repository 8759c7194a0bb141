"""GET /api/v1/runs/{id}/artifacts and .../{path}."""

import pytest

from compiler_core import report
from webapp.runs import artifacts, events, lifecycle


def text(name, content="text"):
    return report.Artifact(name, "ir", "fuselab", content)


def whole(*stages, programs=1):
    each = [report.Program(f"p{i}", "torch", stages=list(stages)) for i in range(programs)]
    return report.Report(programs=each)


def paths(of):
    return [entry.path for entry in artifacts.entries("id", of)]


def test_a_path_names_program_stage_and_artifact():
    stage = report.Stage("Constant folding", "ok", 1.0, [text("before"), text("Triton (sm_90)")])
    assert paths(whole(stage, programs=2)) == [
        "0.constant-folding.before",
        "0.constant-folding.triton-sm_90",
        "1.constant-folding.before",
        "1.constant-folding.triton-sm_90",
    ]


def test_a_name_that_comes_again_has_a_number():
    stage = report.Stage("fold", "ok", 1.0, [text("after", "1"), text("after", "2")])
    again = report.Stage("fold", "ok", 1.0, [text("after", "3")])
    both = whole(stage, again)
    assert paths(both) == ["0.fold.after", "0.fold.after-2", "0.fold.after-3"]
    assert artifacts.find(both, "0.fold.after-3").text == "3"


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "é", "a/b?c#d"])
def test_any_name_makes_a_path_that_fits_in_an_address(name):
    [path] = paths(whole(report.Stage(name, "ok", 1.0, [text(name)])))
    assert all(part.isascii() and "/" not in part for part in path.split("."))
    assert path.count(".") == 2


@pytest.mark.service
def test_it_works_over_http(server, run, story, bob):
    lifecycle.start(run.pk)
    events.append(run.pk, story)
    [entry] = bob.get(f"/api/v1/runs/{run.pk}/artifacts").json()["artifacts"]
    assert (entry["path"], entry["program"], entry["stage"]) == (
        "0.capture.ir",
        "double",
        "Capture",
    )
    got = bob.get(entry["url"])
    assert got.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert got.content.decode() == "%0 = multiply %x, 2"
    assert len(got.content) == entry["bytes"]


@pytest.mark.service
def test_they_are_listed_alike_before_and_after_the_run_has_ended(server, run, story, bob):
    lifecycle.start(run.pk)
    stage = report.Stage("fold", "ok", 1.0, [text("after", "x" * 9000), text("empty", "")])
    events.append(run.pk, [*story[:3], report.StageDone(0, stage), story[3]])
    address = f"/api/v1/runs/{run.pk}/artifacts"
    before = bob.get(address).json()["artifacts"]
    texts = [bob.get(entry["url"]).content for entry in before]
    lifecycle.finish(run.pk, "done")
    assert bob.get(address).json()["artifacts"] == before
    assert [bob.get(entry["url"]).content for entry in before] == texts
    assert texts == [b"%0 = multiply %x, 2", b"x" * 9000, b""]


@pytest.mark.django_db
def test_a_name_that_is_not_there(run, bob):
    answer = bob.get(f"/api/v1/runs/{run.pk}/artifacts/0.capture.nope")
    assert answer.status_code == 404
    message = f'Run {run.pk} has no artifact "0.capture.nope".'
    assert answer.json()["error"]["message"] == message


@pytest.mark.django_db
@pytest.mark.parametrize("end", ["artifacts", "artifacts/x"])
def test_an_unknown_id(bob, end):
    assert bob.get(f"/api/v1/runs/nope/{end}").status_code == 404


@pytest.mark.service
@pytest.mark.parametrize(
    "content, kind", [("UEsDBA==", "application/octet-stream"), ("é", "text/plain; charset=utf-8")]
)
def test_a_file_is_sent_as_its_bytes_to_be_saved(server, run, bob, content, kind):
    file = report.Artifact("a\nb.pt2", "pt2", "base64", content)
    lifecycle.start(run.pk)
    found = report.ProgramFound(0, "f", "torch", report.Entry(1), [])
    events.append(run.pk, [found, report.StageDone(0, report.Stage("saved", "ok", 1.0, [file]))])
    [entry] = bob.get(f"/api/v1/runs/{run.pk}/artifacts").json()["artifacts"]
    got = bob.get(entry["url"])
    assert (got.status_code, got.headers["Content-Type"]) == (200, kind)
    if kind == "application/octet-stream":
        assert got.content == b"PK\x03\x04"
        assert got.headers["Content-Disposition"] == 'attachment; filename="a-b.pt2"'


def test_a_list_of_texts_is_of_some_MiB_however_long_their_names_are():
    """Each entry has the names of its program and stage: of 64 KiB each they would take a thousand
    times what the report takes."""
    long = "n" * 60_000
    files = [report.Artifact(f"{n}", long, long, "x") for n in range(artifacts.MOST_ROWS)]
    found = report.Report(programs=[report.Program(long, "torch")])
    found.programs[0].stages = [report.Stage(long, "ok", 1.0, files, graph=long, backend=long)]
    rows = artifacts.rows("id", found)
    assert sum(len(row.entry) for row in rows) <= artifacts.MOST_BYTES
    assert len(rows[0].entry) < 2_000
