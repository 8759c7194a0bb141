"""What a page says of its cursor is what the others' pages can read, or is not handed on."""

import pytest
from pycrdt import Encoder

from webapp.workshops.text import presence


def said(client: int, clock: int, state: str) -> bytes:
    encoder = Encoder()
    for number in (1, client, clock):
        encoder.write_var_uint(number)
    encoder.write_var_string(state)
    return encoder.to_bytes()


def test_it_works():
    found = presence.read(said(7, 1, '{"cursor": {"anchor": 1}}'))
    assert found == presence.Presence(7, 1, {"anchor": 1})


@pytest.mark.parametrize(
    ("client", "clock", "state"),
    [
        (7, 1, '{"cursor": NaN}'),
        (7, 1, '{"cursor": [1e999]}'),
        (7, 1, '{"cursor": ' + "[" * 400),
        (2**53, 1, "{}"),
        (7, 2**53 - 1, "{}"),
        (7, 2**4000, "{}"),
    ],
)
def test_what_a_page_cannot_read_is_handed_on_to_nobody(client, clock, state):
    assert presence.read(said(client, clock, state)) is None
