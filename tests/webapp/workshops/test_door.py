"""Opening a workshop, coming in, and going."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.webapp.workshops.people import BASE, JSON, change, join, names, opened, room
from webapp.runs import expiry
from webapp.runs.models import Run
from webapp.workshops import door
from webapp.workshops.models import Workshop

pytestmark = [pytest.mark.service, pytest.mark.usefixtures("server")]


def refusal(answer, status):
    assert answer.status_code == status, answer.content
    return answer.json()["error"]


def test_a_name_is_all_that_it_takes(alice, bob):
    code = opened(alice)
    seen = join(bob, code).json()
    assert [seat["name"] for seat in seen["seats"]] == ["Lena", "Sam"]
    assert seen["seats"][1]["id"] == seen["you"]
    assert names(alice, code) == ["Lena", "Sam"]


def test_a_seat_is_found_again_by_the_same_browser(alice, bob):
    code = opened(alice)
    first = join(bob, code).json()["you"]
    again = join(bob, code, "Samuel").json()
    assert again["you"] == first
    assert names(alice, code) == ["Lena", "Samuel"]


def test_another_network_finds_the_seat_again(alice, bob):
    code = opened(alice)
    seat = join(bob, code).json()["you"]
    answer = bob.get(f"{BASE}/{code}", REMOTE_ADDR="198.51.100.7")
    assert answer.json()["you"] == seat
    again = bob.post(f"{BASE}/{code}/join", {"name": "Sam"}, content_type=JSON,
                     REMOTE_ADDR="2001:db8::7")  # fmt: skip
    assert again.json()["you"] == seat


def test_outside_only_the_door_is_seen(alice, bob):
    code = opened(alice, pass_phrase="warp")
    shown = bob.get(f"{BASE}/{code}/door").json()
    assert shown == {
        "code": code, "title": "Fusion", "wants_pass_phrase": True, "locked": False,
        "seated": False, "removed": False, "was_inside": False, "leaders": ["Lena"],
    }  # fmt: skip
    for path in ("", "/handout", "/handouts", "/handouts/1"):
        told = refusal(bob.get(f"{BASE}/{code}{path}"), 403)
        assert told["message"] == "You are not in this workshop."
        assert code in told["remedy"]


def test_the_pass_phrase_is_wanted(alice, bob):
    code = opened(alice, pass_phrase="warp")
    for given, says in ({}, "A pass phrase is wanted."), ({"pass_phrase": "weft"}, "is another"):
        refused = refusal(join(bob, code, **given), 403)
        assert says in refused["message"] and refused["input"] == "pass_phrase"
    assert join(bob, code, pass_phrase="warp").status_code == 200
    assert "warp" not in Workshop.objects.get().pass_phrase


def test_a_locked_door_lets_those_back_in_who_were_inside(alice, bob):
    code = opened(alice)
    join(bob, code)
    bob.post(f"{BASE}/{code}/leave")
    change(alice, code, locked=True)
    assert refusal(join(Client(), code, "Eve"), 403)["message"].endswith("is locked.")
    for who, opens in ((bob, True), (Client(), False)):
        assert who.get(f"{BASE}/{code}/door").json()["was_inside"] == opens
    assert join(bob, code).status_code == 200


@pytest.mark.parametrize("name", ["Lena", "LENA", " l e n a ", "\uff2cena"])
def test_nobody_takes_the_name_of_who_leads(alice, bob, name):
    code = opened(alice)
    told = refusal(join(bob, code, name), 422)
    assert told["input"] == "name" and told["message"].endswith(
        "is the name of who leads this workshop."
    )
    join(bob, code)
    assert refusal(change(bob, code, "/seat", name=name), 422)["input"] == "name"
    # Who leads is called as they like, also from a second machine.
    proof = room(alice, code)["lead_link"].partition("#lead=")[2]
    assert join(Client(), code, "Lena", lead=proof).status_code == 200
    assert names(alice, code) == ["Lena", "Sam", "Lena"]


def test_a_leader_who_comes_back_without_the_link_has_the_name_of_the_other_machine(alice, bob):
    code, second = opened(alice), Client()
    proof = room(alice, code)["lead_link"].partition("#lead=")[2]
    join(second, code, "Lena", lead=proof)
    join(bob, code)
    for machine in (second, alice):
        machine.post(f"{BASE}/{code}/leave")
    assert join(alice, code, "Lena").status_code == 200
    assert names(alice, code) == ["Lena", "Sam"]
    assert join(second, code, "Lena").status_code == 200
    assert names(alice, code) == ["Lena", "Lena", "Sam"]
    # A participant's name is another's for who leads too.
    join(alice, code, "Sam")
    assert names(alice, code) == ["Sam (2)", "Lena", "Sam"]


def test_who_has_a_name_that_a_leader_takes_later_comes_back_in(alice, bob):
    code = opened(alice)
    join(bob, code)
    bob.post(f"{BASE}/{code}/leave")
    change(alice, code, "/seat", name="Sam")
    assert join(bob, code).status_code == 200


def test_who_leaves_has_no_seat(alice, bob):
    code = opened(alice)
    join(bob, code)
    assert bob.post(f"{BASE}/{code}/leave").status_code == 204
    assert names(alice, code) == ["Lena"]
    refusal(bob.get(f"{BASE}/{code}"), 403)


def test_who_is_removed_is_out_and_stays_out(alice, bob):
    code = opened(alice)
    seat = join(bob, code).json()["you"]
    assert alice.delete(f"{BASE}/{code}/seats/{seat}").status_code == 204
    refusal(bob.get(f"{BASE}/{code}"), 403)
    assert "removed" in refusal(join(bob, code), 403)["message"]
    # The door says so before they try, and nobody else of them.
    for who, removed in ((bob, True), (alice, False), (Client(), False)):
        assert who.get(f"{BASE}/{code}/door").json()["removed"] == removed


def test_who_was_removed_by_mistake_is_let_back_to_the_same_seat(alice, bob):
    code, carol = opened(alice), Client()
    seat = join(bob, code).json()["you"]
    join(carol, code, "Carol")
    at = f"/seats/{seat}"
    assert change(alice, code, at, removed=True).status_code == 200
    assert room(alice, code)["removed"] == [{"id": seat, "name": "Sam"}]
    assert room(carol, code)["removed"] == []
    refusal(change(carol, code, at, removed=False), 403)
    refusal(join(bob, code), 403)
    assert change(alice, code, at, removed=False).json()["removed"] == []
    assert room(bob, code)["you"] == seat
    refusal(change(alice, code, at, removed=False), 404)


def test_two_of_one_name_are_told_apart(alice, bob):
    code, carol, dave = opened(alice), Client(), Client()
    for each in (bob, carol, dave):
        join(each, code, "Sam")
    join(dave, code, "s a m")
    assert names(alice, code) == ["Lena", "Sam", "Sam (2)", "s a m (3)"]
    change(bob, code, "/seat", name="Sam (2)")
    change(dave, code, "/seat", name="Sam")
    assert names(bob, code) == ["Lena", "Sam (2) (2)", "Sam (2)", "Sam"]
    long = "N" * 40
    join(bob, code, long)
    join(carol, code, long)
    assert names(alice, code)[2] == f"{'N' * 34} (2)"


def test_the_leader_link_leads_from_a_second_machine(alice, bob):
    code = opened(alice)
    link = room(alice, code)["lead_link"]
    proof = link.partition("#lead=")[2]
    assert join(bob, code, "Lena's tablet", lead=proof).json()["lead_link"] == link
    assert change(bob, code, locked=True).status_code == 200


@pytest.mark.parametrize("proof", ["x", "k7mq-2p9x", "a:b", "another's"])
def test_a_leader_link_that_leads_elsewhere_is_said_to(alice, bob, proof):
    if proof == "another's":
        proof = room(alice, opened(alice))["lead_link"].partition("#lead=")[2]
    code = opened(alice)
    told = join(bob, code, lead=proof)
    assert told.status_code == 403
    assert told.json()["error"]["input"] == "lead"
    assert "Copy it anew" in told.json()["error"]["remedy"]
    assert names(alice, code) == ["Lena"]


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        ({"name": "Lena"}, "title"),
        ({"title": "Fusion"}, "name"),
        ({"title": "Fusion", "name": " "}, "name"),
        ({"title": "F" * 81, "name": "Lena"}, "title"),
        ({"title": "Fusion", "name": 3}, "name"),
        ({"title": "Fusion", "name": "Lena", "options": {"target": "sm_1"}}, "options.target"),
        ({"title": "Fusion", "name": "Lena", "options": {"measure": True}}, "options.measure"),
        ({"title": "Fusion", "name": "Lena", "seats": 3}, "seats"),
    ],
)
def test_a_wish_that_cannot_be_met_is_named(alice, wanted, named):
    told = refusal(alice.post(BASE, wanted, content_type=JSON), 422)
    assert told["input"] == named
    assert told["message"].endswith(".") and told["remedy"]


def test_names_are_text_and_all_of_them_is_seen(alice):
    code = opened(alice, name="<b>Le\u202ena</b>")
    assert names(alice, code) == ["<b>Le<U+202E>na</b>"]


def test_an_unknown_code(bob):
    told = refusal(join(bob, "k7mq-2p9x"), 404)
    assert told["message"] == 'There is no workshop "k7mq-2p9x".'


def test_a_workshop_ends_thirty_days_after_its_last_use(alice, bob):
    code = opened(alice)
    Workshop.objects.update(expires=timezone.now())
    refusal(join(bob, code), 404)
    opened(alice)
    assert not Workshop.objects.filter(pk=code).exists()


def test_who_joins_keeps_it_alive(alice, bob):
    code = opened(alice)
    soon = timezone.now() + timezone.timedelta(minutes=5)
    Workshop.objects.update(expires=soon)
    join(bob, code)
    assert Workshop.objects.get().expires > soon


def test_who_leads_keeps_it_for_good_or_lets_it_end(alice, bob, monkeypatch):
    monkeypatch.setattr(door, "MOST_KEPT", 1)
    code, other = opened(alice), opened(alice)
    join(bob, code)
    refusal(change(bob, code, kept=True), 403)
    assert change(alice, code, kept=True).json()["kept"]
    assert refusal(change(alice, other, kept=True), 422)["input"] == "kept"
    Workshop.objects.update(expires=timezone.now())
    opened(alice)
    assert names(bob, code) == ["Lena", "Sam"]
    assert change(alice, code, kept=False).status_code == 200
    assert Workshop.objects.get(pk=code).expires > timezone.now() + timezone.timedelta(days=29)


def test_what_was_run_in_a_workshop_that_is_kept_stays_with_it(alice, asked_by):
    kept, passing = opened(alice), opened(alice)
    runs = []
    for code in (kept, passing):
        runs.append(asked_by(alice))
        assert change(alice, code, "/seat", run=runs[-1].pk).status_code == 200
    change(alice, kept, kept=True)
    Run.objects.update(expires=timezone.now() - timedelta(days=1))
    assert expiry.expire() == 1
    assert list(Run.objects.values_list("pk", flat=True)) == [runs[0].pk]
