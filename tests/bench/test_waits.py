"""Whether a seat of a workshop waited longer than others, by its turns or by chance."""

import math

from bench.service import Seen
from bench.waits import by_chance, compared, in_words, waiting, worst


def test_waits_are_compared_over_whole_rounds_of_the_list() -> None:
    dear, cheap = Seen(0, 9, "done", 8.0), Seen(0, 2, "done", 1.0)
    found = waiting(compared([[dear, cheap], [cheap, dear, dear], [dear]], 2))
    assert [wait.ir_s for wait in found] == [4.5, 4.5]
    nobody_through = waiting(compared([[dear, cheap], [dear]], 3))
    assert [wait.ir_s for wait in nobody_through] == [4.5, 8.0]


def room(of_the_last: float) -> list[list[Seen]]:
    """Every fourth run of nineteen seats waits; one more seat runs something else, which takes so
    long."""
    seats = [[Seen(0, 9, "done", 1 + 4 * ((at + n) % 4 == 0), "a") for n in range(4)]
             for at in range(19)]  # fmt: skip
    return [*seats, [Seen(0, 9, "done", of_the_last, "b")] * 4]


def test_what_a_seat_waits_longer_by_chance_is_told_apart_from_what_it_waits_otherwise() -> None:
    # Who waits because of what they run waits so however the others' waits are dealt.
    assert min(by_chance(room(8.0))) >= 8 / 5
    # In this room nobody waited longer; in most of those that chance deals somebody did.
    assert worst(room(2.0)) == 1.0
    dealt = by_chance(room(2.0))
    assert 1.5 < dealt[len(dealt) // 2] < 2.6 and dealt == sorted(dealt)
    assert "20 seats" in in_words(room(2.0)) and "by chance alone" in in_words(room(2.0))


def test_where_nobody_waited_nothing_is_told() -> None:
    assert by_chance([]) == [] and in_words([]) == ""
    assert math.isnan(worst([]))
