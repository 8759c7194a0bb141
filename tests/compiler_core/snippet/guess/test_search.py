"""The search for a guess that goes through."""

import pytest

from compiler_core.inputs import Literal
from compiler_core.snippet.guess import search as room
from compiler_core.snippet.guess.context import Option
from compiler_core.snippet.guess.search import Slot, call_of, search
from compiler_core.snippet.guess.trial import Outcome

SLOTS = [Slot(name, [Option(Literal(v), "trial") for v in range(6)]) for name in "abc"]


def run(accept, lines=lambda values: (), named=lambda lines: frozenset("abc")):
    tried = []

    def attempt(call):
        values = tuple(v.value for v in call.inputs.positional)
        tried.append(values)
        return Outcome() if accept(*values) else Outcome("ValueError: no", lines(values))

    return search(SLOTS, lambda chosen: call_of("f", SLOTS, chosen, False), attempt, named), tried


def test_the_likeliest_is_tried_first():
    found, tried = run(lambda *_: True)
    assert found.outcome.ok and tried == [(0, 0, 0)] and str(found.call) == "f(0, 0, 0)"


def test_one_that_came_further_is_followed():
    """Line n is reached by whoever has the first n parameters right."""
    right = (5, 3, 4)

    def lines(values):
        return (next((i for i in range(3) if values[i] != right[i]), 3),)

    found, tried = run(lambda *v: v == right, lines, lambda at: frozenset("abc"[at[0]]))
    assert found.outcome.ok and len(tried) < 60


def test_what_two_lead_to_is_followed_from_the_one_that_came_further():
    """(0, 1, 0) ends early and leads to (1, 1, 0), as (1, 0, 0) does, which comes far."""
    far = {(1, 0, 0): (9,), (1, 1, 0): (9,)}
    found, tried = run(lambda *v: v == (1, 2, 0), lambda values: far.get(values, (1,)))
    assert found.outcome.ok and len(tried) < 12


def test_it_ends_and_says_which_came_furthest(monkeypatch):
    monkeypatch.setattr(room, "MOST_TRIALS", 50)
    found, tried = run(lambda *_: False, lambda values: (values[0],))
    assert len(tried) == 50 and found.call.inputs.positional[0] == Literal(5)
    assert found.outcome.error == "ValueError: no"


def test_it_ends_in_time(monkeypatch):
    monkeypatch.setattr(room, "MOST_SECONDS", 0.0)
    assert len(run(lambda *_: False)[1]) == 1


def test_a_program_without_parameters_is_tried_once():
    call = call_of("f", [], [], True)
    found = search([], lambda _: call, lambda _: Outcome("no"), lambda _: frozenset())
    assert (found.trials, str(found.call)) == (1, "f()()")


@pytest.mark.parametrize(
    ("constructor", "keyword", "text"),
    [(True, False, "N(0)()"), (True, True, "N(a=0)()"), (False, True, "N()(a=0)")],
)
def test_slots_go_where_they_belong(constructor, keyword, text):
    slots = [Slot("a", SLOTS[0].options, constructor, keyword)]
    assert str(call_of("N", slots, [slots[0].options[0]], True)) == text
