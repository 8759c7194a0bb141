"""The text of a stored one comes piece by piece, and is the same."""

import base64
import random

import pytest

from compiler_core import report
from webapp.runs import plain

TEXT = 'a\\"b\n\t\r\b\f\x00\x1f\x7f/é€𝄞\u2028' + "\\" * 9 + '","nodes":[[1]]}'


def cut(whole: bytes, size: int) -> list[bytes]:
    return [whole[at : at + size] for at in range(0, len(whole), size)]


@pytest.mark.parametrize("size", [*range(1, 12), 1000])
@pytest.mark.parametrize("text", ["", TEXT, TEXT * 3 + "\\"])
def test_a_text_is_what_it_was_wherever_it_is_cut(text: str, size: int) -> None:
    _, stored = report.stored(report.Artifact("a", "ir", "text", text, [[1, 2], []]))
    assert b"".join(plain.text(cut(stored, size))).decode() == text


@pytest.mark.parametrize("size", [1, 3, 4, 5, 1000])
@pytest.mark.parametrize("length", range(7))
def test_a_file_is_what_it_was_wherever_it_is_cut(length: int, size: int) -> None:
    content = random.Random(0).randbytes(length)
    parts = cut(base64.b64encode(content), size)
    assert plain.is_file(parts)
    assert b"".join(plain.file(parts)) == content


@pytest.mark.parametrize("text", ["é", "A", "AAAA=", "AA=A", "A===", "AA\n=", "AAA*", "=AAA"])
@pytest.mark.parametrize("size", [1, 1000])
def test_what_is_no_base64_is_no_file(text: str, size: int) -> None:
    assert not plain.is_file(cut(text.encode(), size))
