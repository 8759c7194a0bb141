"""Random examples: the same at every run, and made small where one of them is bad."""

import random

from conformance import examples

COUNT = 20


def numbers(rng: random.Random) -> list[int]:
    return [rng.randrange(100) for _ in range(rng.randrange(1, 12))]


def is_bad(example: list[int]) -> bool:
    return max(example) >= 50


def test_a_name_stands_for_the_same_examples() -> None:
    drawn = examples.drawn(numbers, "here", COUNT)
    assert drawn == examples.drawn(numbers, "here", COUNT)
    assert drawn != examples.drawn(numbers, "there", COUNT)


def test_a_bad_example_is_made_small() -> None:
    drawn = examples.drawn(numbers, "here", COUNT)
    number = max(filter(lambda n: is_bad(drawn[n]), range(len(drawn))), key=lambda n: len(drawn[n]))
    small = examples.shrunk(numbers, "here", COUNT, number, is_bad, seconds=60)
    assert is_bad(small)
    assert len(small) == 1 < len(drawn[number])


def test_where_nothing_smaller_is_bad_it_is_the_example_itself() -> None:
    drawn = examples.drawn(numbers, "here", COUNT)
    same = examples.shrunk(numbers, "here", COUNT, 3, lambda x: x == drawn[3], seconds=60)
    assert same == drawn[3]
