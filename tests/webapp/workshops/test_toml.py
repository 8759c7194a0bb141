"""TOML of people is read in the time that its length takes, or it is said what is wrong."""

import time

import pytest

from webapp.workshops import toml

DEEP = "it is nested too deep"


def names(number: int, between: str = ".") -> str:
    return between.join(["a"] * number)


@pytest.mark.parametrize(
    "text",
    [
        f"{names(40)} = 1",
        f"{names(40, ' . ')} = 1",
        f"[{names(40)}]",
        f"[[{names(40)}]]",
        f"x = {{ {names(40)} = 1 }}",
        ".".join(['"a b"', "'c'"] * 20) + " = 1",
    ],
)
def test_a_name_of_so_many_parts_is_too_deep(text: str) -> None:
    """Each part is looked up from the first: ten thousand of them took a quarter of a second."""
    assert toml.read(text) == DEEP


def test_a_text_and_numbers_with_dots_are_what_they_say() -> None:
    said = 'text = "Version 1.2.3.4 of e.g. this; and so on ................................"'
    assert toml.read(said + "\nx = 1.5") == {"text": said[8:-1], "x": 1.5}
    assert toml.read(f"{names(9)} = 1") != DEEP


def test_long_names_take_no_longer_than_they_are() -> None:
    def seconds(length: int) -> float:
        began = time.thread_time()
        toml.read(names(length) + " = 1\n")
        return time.thread_time() - began

    assert seconds(16_000) < 9 * max(min(seconds(4_000) for _ in range(3)), 1e-4)
