"""Taking a workshop home: what one ran, what came of it, and the deck; nobody else's."""

import csv
import io
import re
import zipfile
from datetime import datetime, timedelta

import pytest
from django.utils import timezone

from tests.webapp.conftest import SOURCE
from tests.webapp.workshops.courses.samples import FILES, zipped
from tests.webapp.workshops.exercises.asked import stored, tried
from tests.webapp.workshops.people import BASE, JSON, change, join, opened
from tests.webapp.workshops.text.writers import typed
from webapp.apart import asking
from webapp.runs import frozen
from webapp.runs.models import Run
from webapp.workshops.home import contents, results, seat_runs
from webapp.workshops.models import Seat, SeatRun
from webapp.workshops.text.models import TextUpdate

pytestmark = [
    pytest.mark.service,
    pytest.mark.usefixtures("server"),
    pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume asynchronous"),
]


@pytest.fixture
def code(alice, bob):
    made = opened(alice)
    join(bob, made)
    return made


def taken(person, code):
    """The zip that somebody takes home, as its files."""
    answer = person.get(f"{BASE}/{code}/home.zip", headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/zip"
    assert f"workshop-{code}.zip" in answer.headers["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(b"".join(answer))) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def table(files, name="results.csv"):
    return list(csv.DictReader(io.StringIO(files[name])))


@pytest.fixture
def ran(asked_by, make_run):
    """A run that somebody asked for at their seat, done with the front page's report."""

    def run(person, code, source="def f(x):\n    return x\n", **fields):
        made = asked_by(person, make_run(source=source, **{"title": "Sums", **fields}))
        if "state" not in fields:
            Run.objects.filter(pk=made.pk).update(state="done")
            whole = stored("measured")
            whole.programs[0].called = made.options.get("inputs", "")
            frozen.freeze(made.pk, whole)
        assert change(person, code, "/seat", run=made.pk).status_code == 200
        return made

    return run


@pytest.mark.parametrize(
    ("source", "suffix"),
    [("module @m {\n}\n", "mlir"), ("func.func @f() {\n}\n", "mlir"), ("module = f(1)\n", "py")],
)
def test_a_snippet_is_named_after_its_language(code, bob, ran, source, suffix):
    ran(bob, code, source)
    assert f"snippets/001-sums.{suffix}" in taken(bob, code)


def test_every_snippet_goes_home_with_its_link_and_figures(code, bob, ran):
    first, second = ran(bob, code, "x = 1\n"), ran(bob, code, "x = 2\n")
    # Somebody else asked for one before.
    now = timezone.now()
    Run.objects.filter(pk=first.pk).update(created=now - timedelta(hours=1))
    files = taken(bob, code)
    assert files["snippets/001-sums.py"] == "x = 1\n"
    assert files["snippets/002-sums.py"] == "x = 2\n"
    rows = table(files)
    assert {row["link"] for row in rows} == {
        f"http://testserver/r/{run.pk}" for run in (first, second)
    }
    assert {
        abs(datetime.fromisoformat(row["asked"]) - now) < timedelta(minutes=1) for row in rows
    } == {True}
    core = next(row for row in rows if row["compiler"] == "core")
    assert core["file"] == "snippets/001-sums.py"
    assert (core["launches"], core["graph_breaks"]) == ("1", "0")
    assert 2 < float(core["speedup"]) < 3 and float(core["median_us"]) > 0
    assert "http://testserver/w/" in files["README.md"]


def test_a_run_without_figures_is_a_row_all_the_same(code, bob, ran):
    ran(bob, code, state="queued")
    (row,) = table(taken(bob, code))
    assert (row["state"], row["program"], row["speedup"]) == ("queued", "", "")


def test_what_runs_said_is_decoded_apart_and_too_much_of_it_is_said(code, bob, ran, monkeypatch):
    for number in range(2):
        ran(bob, code, f"x = {number}\n")
    monkeypatch.setattr(asking, "WALL_S", 0.001)
    rows = table(taken(bob, code))
    assert [row["program"] for row in rows] == ["its report is too large"] * 2
    monkeypatch.setattr(results, "_MOST_S", -1)
    rows = table(taken(bob, code))
    assert [row["program"] for row in rows] == ["there are too many runs"] * 2


def test_the_deck_and_the_attempts_go_home(code, alice, bob, ran):
    alice.put(f"{BASE}/{code}/course.zip", zipped(FILES), content_type="application/zip")
    made = ran(bob, code, SOURCE, options=tried("one-kernel", SOURCE))
    bob.post(f"{BASE}/{code}/exercises/one-kernel/attempts", {"run": made.pk}, content_type=JSON)
    files = taken(bob, code)
    assert files["deck.md"].startswith("# Welcome\n\nRead *on*.\n\n---\n\n# One kernel")
    (row,) = table(files, "exercises.csv")
    assert (row["seat"], row["exercise"], row["passed"], row["of"]) == (
        "Sam",
        "one-kernel",
        "1",
        "1",
    )
    assert row["saw"] == "1 kernel."
    assert not any("answer" in name for name in files)


def test_a_participant_takes_home_their_own_and_the_leader_all(code, alice, bob, ran):
    ran(alice, code, "lena = 1\n")
    ran(bob, code, "sam = 1\n")
    own, every = taken(bob, code), taken(alice, code)
    assert "lena" not in "".join(own.values()) and "board.csv" not in own
    assert every["seats/001-lena/snippets/001-sums.py"] == "lena = 1\n"
    assert every["seats/002-sam/snippets/001-sums.py"] == "sam = 1\n"
    assert {row["seat"] for row in table(every)} == {"Lena", "Sam"}
    assert table(every, "board.csv")[0]["name"] == "Sam"


def test_what_the_room_wrote_and_was_handed_goes_home_with_each(code, alice, bob):
    there = taken(bob, code).keys()
    assert not [path for path in there if path.startswith(("shared", "handed-out"))]
    TextUpdate.objects.create(workshop_id=code, payload=typed("together = 1\n"))
    for source in ("given = 1\n", "given = 2\n"):
        alice.post(f"{BASE}/{code}/handout", {"source": source}, content_type=JSON)
    for person in (alice, bob):
        files = taken(person, code)
        assert files["shared.py"] == "together = 1\n"
        assert files["handed-out/001-given-1.py"] == "given = 1\n"
        assert files["handed-out/002-given-2.py"] == "given = 2\n"


def test_the_readme_names_what_is_there_and_nothing_else(code, alice, bob, ran):
    ran(bob, code)
    for person in (alice, bob):
        named = re.findall(r"^- `([^`]*)`", taken(person, code)["README.md"], re.MULTILINE)
        there = [re.sub(r"seats/[^/]*/", "seats/.../", path) for path in taken(person, code)]
        folders = {re.sub(r"((snippets|handed-out)/).*", r"\1", path) for path in there}
        assert folders == {"README.md", *named}


def test_the_board_goes_home_where_it_is_shown(code, alice, bob):
    change(alice, code, board=True)
    assert "board.csv" in taken(bob, code)


def test_a_run_that_was_only_opened_is_not_ones_own(code, alice, bob, ran):
    theirs = ran(alice, code)
    change(bob, code, "/seat", run=theirs.pk)
    assert table(taken(bob, code)) == []


def test_a_run_that_is_gone_is_left_out(code, bob, ran):
    ran(bob, code).delete()
    assert table(taken(bob, code)) == []


def test_outsiders_take_nothing_home(code, client):
    assert client.get(f"{BASE}/{code}/home.zip").status_code == 403


def test_names_are_safe_in_a_zip_and_a_spreadsheet(code, alice, bob, ran):
    change(bob, code, "/seat", name="=cmd|'/c calc'!A0")
    ran(bob, code, title="../../etc/passwd")
    ran(bob, code, title="=1+1")
    files = taken(alice, code)
    assert "seats/002-cmd-c-calc-a0/snippets/001-etc-passwd.py" in files
    assert not any(".." in name or name.startswith("/") for name in files)
    assert {row["seat"] for row in table(files)} == {"'=cmd|'/c calc'!A0"}
    assert {row["title"] for row in table(files)} == {"../../etc/passwd", "'=1+1"}


def test_of_a_seat_the_newest_runs_are_kept(code, bob, ran, monkeypatch):
    monkeypatch.setattr(seat_runs, "MOST", 2)
    runs = [ran(bob, code) for _ in range(3)]
    kept = SeatRun.objects.order_by("pk").values_list("run", flat=True)
    assert list(kept) == [run.pk for run in runs[1:]]


def test_a_run_asked_for_again_is_there_once(code, bob, ran):
    run = ran(bob, code)
    change(bob, code, "/seat", run="")
    change(bob, code, "/seat", run=run.pk)
    assert [each.pk for each, _ in seat_runs.runs(Seat.objects.get(name="Sam"))] == [run.pk]


def test_what_does_not_fit_is_said_to_be_left_out(code, bob, ran, monkeypatch):
    monkeypatch.setattr(contents, "ALL_BYTES", 2000)
    ran(bob, code, "x = 1\n" * 400)
    files = taken(bob, code)
    assert files["CUT-OFF.txt"].startswith("snippets/001-sums.py and what follows was left out")


def test_who_has_left_is_in_the_leaders_zip_and_marked(code, alice, bob, ran):
    alice.put(f"{BASE}/{code}/course.zip", zipped(FILES), content_type="application/zip")
    made = ran(bob, code, SOURCE, options=tried("one-kernel", SOURCE))
    bob.post(f"{BASE}/{code}/exercises/one-kernel/attempts", {"run": made.pk}, content_type=JSON)
    bob.post(f"{BASE}/{code}/leave")
    files = taken(alice, code)
    assert files["seats/002-sam/snippets/001-sums.py"] == SOURCE
    for name in ("results.csv", "exercises.csv"):
        assert {(row["seat"], row["left"]) for row in table(files, name)} == {("Sam", "yes")}
    (row,) = table(files, "board.csv")
    assert (row["name"], row["left"], row["checks"], row["attempts"]) == ("Sam", "yes", "1", "1")
    assert alice.get(f"{BASE}/{code}/board").json()["seats"] == []
    join(bob, code)
    again = table(taken(alice, code), "board.csv")
    assert [(row["name"], row["left"]) for row in again] == [("Sam", "")]


def test_who_was_removed_is_not_in_it(code, alice, bob, ran):
    ran(bob, code, "sam = 1\n")
    alice.delete(f"{BASE}/{code}/seats/{Seat.objects.get(name='Sam').pk}")
    files = taken(alice, code)
    assert not any(path.startswith("seats/") for path in files)
    assert table(files) == table(files, "board.csv") == []


def test_who_has_left_is_on_nobody_elses_board(code, alice, bob, client):
    change(alice, code, board=True)
    join(client, code, "Kim")
    bob.post(f"{BASE}/{code}/leave")
    assert [row["name"] for row in table(taken(client, code), "board.csv")] == ["Kim"]
