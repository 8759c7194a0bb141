"""What the leader of a workshop does, and nobody else."""

import pytest
from django.test import Client

from compiler_core import report
from tests.webapp.workshops.people import BASE, JSON, change, join, names, opened, room
from webapp.runs import events, verdict
from webapp.runs.models import RunCard, new_id
from webapp.workshops import handing

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]


@pytest.fixture
def code(alice, bob):
    made = opened(alice, options={"target": "sm_90"})
    join(bob, made)
    return made


def test_what_is_pinned_is_told_to_all(code, bob):
    assert room(bob, code)["options"] == {"target": "sm_90"}


# A whole graph's operations may be chosen.
NODES = ".".join(map(str, range(1000)))


@pytest.mark.parametrize("shown", ["#stage=3&nodes=1.2&at=triton.12", f"#nodes={NODES}"])
def test_where_the_leader_is_is_told_to_all(code, alice, bob, shown):
    place = f"/r/{new_id()}{shown}"
    assert change(alice, code, place=place).status_code == 200
    assert room(bob, code)["place"] == place


LONG = f"/r/{'a' * 24}#{'a' * 8200}"


@pytest.mark.parametrize(
    "place", ["", "/r/x", "https://example.org/r/x", "//evil/r/x", LONG, 3, None]
)
def test_a_place_is_that_of_a_run(code, alice, place):
    assert change(alice, code, place=place).status_code == 422


def test_all_are_told_which_of_the_leaders_machines_went_somewhere_last(code, alice, bob):
    second = Client()
    secret = room(alice, code)["lead_link"].partition("lead=")[2]
    join(second, code, "Lena", lead=secret)
    assert room(bob, code)["front"] == 0
    for machine in (alice, second):
        change(machine, code, place=f"/r/{new_id()}")
        assert room(bob, code)["front"] == room(machine, code)["you"]
    change(alice, code, locked=True)
    assert room(bob, code)["front"] == room(second, code)["you"]


def test_all_are_told_which_of_the_leaders_tabs_went_somewhere_last(code, alice, bob):
    for tab in ("one", "two", ""):
        change(alice, code, place=f"/r/{new_id()}", tab=tab)
        assert room(bob, code)["front_tab"] == tab
    change(alice, code, tab="one")
    assert room(bob, code)["front_tab"] == ""
    for tab in ("x" * 17, "<b>", 3, None):
        assert change(alice, code, tab=tab).status_code == 422


def test_a_snippet_is_handed_out_once_and_then_the_next(code, alice, bob):
    for number, source in enumerate(("x = 1\n", "x = 2\n"), 1):
        alice.post(f"{BASE}/{code}/handout", {"source": source}, content_type=JSON)
        assert room(bob, code)["handed_out"] == number
        assert bob.get(f"{BASE}/{code}/handout").json() == {"number": number, "source": source}
    # Who comes late has all of them.
    kim = Client()
    join(kim, code, "Kim")
    listed = kim.get(f"{BASE}/{code}/handouts").json()["handouts"]
    assert [(each["number"], each["title"]) for each in listed] == [(2, "x = 2"), (1, "x = 1")]
    assert kim.get(f"{BASE}/{code}/handouts/1").json() == {"number": 1, "source": "x = 1\n"}
    for number in (0, 3, 10**12):
        told = kim.get(f"{BASE}/{code}/handouts/{number}")
        assert told.status_code == 404 and told.json()["error"]["input"] == "number"


def test_of_what_was_handed_out_the_newest_are_kept(code, alice, monkeypatch):
    monkeypatch.setattr(handing, "MOST", 2)
    for number in range(4):
        alice.post(f"{BASE}/{code}/handout", {"source": f"x = {number}"}, content_type=JSON)
    listed = alice.get(f"{BASE}/{code}/handouts").json()["handouts"]
    assert [each["number"] for each in listed] == [4, 3]


def test_the_leader_sees_the_runs_at_all_seats_and_the_others_their_own(code, alice, bob, make_run):
    for person in (alice, bob):
        change(person, code, "/seat", run=make_run().pk)
    assert [bool(seat["run"]) for seat in room(alice, code)["seats"]] == [True, True]
    assert [bool(seat["run"]) for seat in room(bob, code)["seats"]] == [False, True]


def test_the_wall_says_how_a_run_stands(code, alice, bob, make_run):
    run = make_run(state="done")
    change(bob, code, "/seat", run=run.pk)
    assert room(alice, code)["seats"][1]["run"] == {
        "id": run.pk, "state": "done", "verdict": "", "pictured": False, "asks": False, "waits": "",
    }  # fmt: skip
    RunCard.objects.create(run=run, picture=b"...")
    assert room(alice, code)["seats"][1]["run"]["pictured"]
    run.delete()
    assert room(alice, code)["seats"][1]["run"] is None


def test_the_wall_says_that_a_run_waits_after_its_first_ir(code, alice, bob, make_run):
    run = make_run(state="running")
    change(bob, code, "/seat", run=run.pk)
    began = report.ProgramFound(0, "f", "torch", "call", [])
    for said, waits in (
        (report.StageBegan(0, report.ITS_TURN, "2 runs before it"), "2 runs before it"),
        (report.StageBegan(0, report.ITS_TURN, "next, about 3 s"), "next, about 3 s"),
        (report.StageBegan(0, "codegen"), ""),
    ):
        events.append(run.pk, [began, said])
        assert room(alice, code)["seats"][1]["run"]["waits"] == waits
        assert room(bob, code)["seats"][1]["run"]["waits"] == waits


def test_the_wall_says_that_a_run_needs_inputs(code, alice, bob, make_run):
    whole = report.Report(
        error=report.Failure("inputs", "Nothing calls f."),
        candidates=[report.Candidate("f", 1, ["x"], "")],
    )
    run = make_run(state="failed", verdict=verdict.verdict(whole))
    change(bob, code, "/seat", run=run.pk)
    seen = room(alice, code)["seats"][1]["run"]
    assert (seen["asks"], seen["verdict"]) == (True, "Needs inputs: Nothing calls f.")


def test_the_wall_says_who_is_editing(code, alice, bob):
    change(bob, code, "/seat", editing=True)
    eve = Client()
    join(eve, code, "Eve")
    assert [seat["editing"] for seat in room(alice, code)["seats"]] == [False, True, False]
    assert not any(seat["editing"] for seat in room(eve, code)["seats"])


def test_who_is_muted_is_seen_by_the_leader_and_themselves_alone(code, alice, bob):
    seat = f"/seats/{room(bob, code)['you']}"
    eve = Client()
    join(eve, code, "Eve")
    change(alice, code, seat, pen=True)
    assert change(alice, code, seat, muted=True).status_code == 200
    assert names(alice, code) == names(bob, code) == ["Lena", "Sam", "Eve"]
    assert names(eve, code) == ["Lena", "Eve"]
    # They do not write in the shared text, and are on nobody else's board.
    assert not room(bob, code)["seats"][1]["pen"]
    assert change(alice, code, seat, pen=True).status_code == 422
    change(alice, code, board=True)
    for person, seen in ((alice, ["Sam", "Eve"]), (bob, ["Sam", "Eve"]), (eve, ["Eve"])):
        board = person.get(f"{BASE}/{code}/board").json()["seats"]
        assert [line["name"] for line in board] == seen
    change(alice, code, seat, muted=False)
    assert names(eve, code) == ["Lena", "Sam", "Eve"]


def test_who_leads_is_not_muted_and_mutes_alone(code, alice, bob):
    assert change(alice, code, f"/seats/{room(alice, code)['you']}", muted=True).status_code == 404
    assert change(bob, code, f"/seats/{room(bob, code)['you']}", muted=True).status_code == 403


def test_the_leader_sees_who_follows(code, alice, bob):
    change(bob, code, "/seat", follows=True)
    assert [seat["follows"] for seat in room(alice, code)["seats"]] == [False, True]


@pytest.mark.parametrize(
    "ask",
    [
        lambda who, code: change(who, code, locked=True),
        lambda who, code: who.delete(f"{BASE}/{code}/seats/1"),
        lambda who, code: who.post(f"{BASE}/{code}/handout", {"source": "x"}, content_type=JSON),
    ],
    ids=["lock", "remove", "hand out"],
)
def test_others_cannot(code, bob, ask):
    answer = ask(bob, code)
    assert answer.status_code == 403
    assert answer.json()["error"]["message"] == "This is for whoever leads the workshop."


def test_leaders_are_not_removed(code, alice):
    seat = room(alice, code)["you"]
    assert alice.delete(f"{BASE}/{code}/seats/{seat}").status_code == 404


def test_a_comment_is_seen_by_its_seat_and_the_leader_until_it_was_read(code, alice, bob):
    seat = room(bob, code)["you"]
    assert change(alice, code, f"/seats/{seat}", comment="Look at the sum.").status_code == 200
    assert [each["comment"] for each in room(bob, code)["seats"]] == ["", "Look at the sum."]
    eve = Client()
    join(eve, code, "Eve")
    assert [each["comment"] for each in room(eve, code)["seats"]] == ["", "", ""]
    change(bob, code, "/seat", comment="")
    assert [each["comment"] for each in room(alice, code)["seats"]] == ["", "", ""]


def test_a_text_is_sent_back_with_a_comment_until_that_was_read(code, alice, bob):
    seat, text = f"/seats/{room(bob, code)['you']}", "y = 2 * x\n"
    eve = Client()
    join(eve, code, "Eve")
    assert change(alice, code, seat, comment="So.", sent_back=text).status_code == 200
    for person, told in ((alice, True), (bob, True), (eve, False)):
        assert [each["sent_back"] for each in room(person, code)["seats"]] == [False, told, False]
    assert sent_back(bob, code) == text
    assert sent_back(eve, code) == ""
    # A further comment leaves it, a further text takes its place.
    change(alice, code, seat, comment="And so.")
    assert sent_back(bob, code) == text
    change(alice, code, seat, comment="Or so.", sent_back="y = x + x\n")
    assert sent_back(bob, code) == "y = x + x\n"
    change(bob, code, "/seat", comment="")
    assert sent_back(bob, code) == ""
    assert not any(each["sent_back"] for each in room(alice, code)["seats"])


def sent_back(person: Client, code: str) -> str:
    """The text that waits for this person."""
    return person.get(f"{BASE}/{code}/seat/sent-back").json()["source"]


def test_a_text_is_sent_back_by_the_leader_alone_and_is_a_snippet(code, alice, bob):
    you, leader = (f"/seats/{room(who, code)['you']}" for who in (bob, alice))
    assert change(bob, code, you, sent_back="x").status_code == 403
    assert change(bob, code, "/seat", sent_back="x").status_code == 422
    assert change(alice, code, you, sent_back=" ").status_code == 422
    assert change(alice, code, leader, sent_back="x").status_code == 404
    assert Client().get(f"{BASE}/{code}/seat/sent-back").status_code == 403


def test_who_is_commented_on_does_not_write_it(code, alice, bob):
    you = f"/seats/{room(bob, code)['you']}"
    assert change(bob, code, you, comment="Well done.").status_code == 403
    assert change(bob, code, "/seat", comment="Well done.").status_code == 422
    assert change(alice, code, you, comment="x" * 501).status_code == 422
    assert change(alice, code, f"/seats/{room(alice, code)['you']}", comment="x").status_code == 404


def test_what_was_handed_out_last_is_not_offered_as_new(code, alice):
    for source, number in (("x = 1", 1), ("x = 1", 1), ("y = 2", 2), ("x = 1", 3)):
        answer = alice.post(f"{BASE}/{code}/handout", {"source": source}, content_type=JSON)
        assert answer.json()["handed_out"] == number
