"""Codes of workshops."""

import pytest

from webapp.workshops import code


def test_a_code_can_be_read_aloud_and_written_down():
    made = code.new()
    said = made.replace("-", " ").upper()
    assert code.meant(said) == code.meant(made.replace("-", "")) == made


@pytest.mark.parametrize("text", ["", "k7mq", "k7mq-2p9", "k7mq-2p9l", "../../admin", "k" * 10_000])
def test_what_is_no_code_is_none(text):
    assert code.meant(text) == ""


def test_no_two_are_the_same():
    assert len({code.new() for _ in range(1000)}) == 1000
