"""Changes of a shared text that are not taken: each with a reason, and the text as it was."""

import gc
import random
import weakref

import pytest
from pycrdt import Doc, Map, Text

from compiler_core.report import MAX_SOURCE_BYTES
from tests.webapp.workshops.text.writers import Writer, typed, workshop
from webapp.errors import Refusal
from webapp.workshops.models import Seat
from webapp.workshops.text import ROOT, keeping
from webapp.workshops.text import document as document_of
from webapp.workshops.text.document import Document
from webapp.workshops.text.keeping import Copies

pytestmark = pytest.mark.django_db


@pytest.fixture
def code():
    made = workshop(Seat(owner="sam", name="Sam"), Seat(owner="ada", name="Ada", pen=True))
    Copies().append(made, "lena", typed("import torch\n"))
    return made


def text_of(code):
    return Copies().text(code)


def refused(code, owner, update):
    """The refusal of a change, which leaves the text as it was, also to who asked."""
    process = Copies()
    found = process.append(code, owner, update)
    assert isinstance(found, Refusal)
    assert process.text(code) == text_of(code) == "import torch\n"
    assert found.message.endswith(".") and found.remedy
    return found


def formatted():
    doc = Doc()
    text = doc.get(ROOT, type=Text)
    text += "x"
    text.format(0, 1, {"bold": True})
    return doc.get_update()


def other_root():
    doc = Doc()
    doc.get("else", type=Map)["x"] = "y" * 100
    return doc.get_update()


def of_what_did_not_come():
    writer = Writer()
    writer.insert(0, "first")
    state = writer.doc.get_state()
    writer.insert(5, "second")
    return writer.doc.get_update(state)


@pytest.mark.parametrize(
    ("update", "status"),
    [
        (lambda: b"", 400),
        (lambda: b"\xff" * 40, 400),
        (lambda: typed("x")[:-3], 400),
        (of_what_did_not_come, 409),
        (formatted, 422),
        (other_root, 422),
        (lambda: typed("a\r\nb"), 422),
        (lambda: typed("x" * MAX_SOURCE_BYTES), 413),
        # Twelve bytes that speak of a hundred million writers; and a number without an end.
        (lambda: bytes.fromhex("cafe93aa2201000401060001"), 400),
        (lambda: b"\x80" * 12, 400),
    ],
    ids=[
        "empty",
        "garbage",
        "cut off",
        "gap",
        "formatted",
        "other root",
        "line ends",
        "too long",
        "millions",
        "endless",
    ],
)
def test_a_change_that_cannot_be_taken(code, update, status):
    assert refused(code, "lena", update()).status == status


def test_who_has_no_pen_writes_nothing(code):
    assert refused(code, "sam", typed("mine")).status == 403
    assert refused(code, "nobody", typed("mine")).status == 403


def test_who_was_given_the_pen_writes(code):
    assert Copies().append(code, "ada", typed("mine"))
    assert "mine" in text_of(code)


def test_who_has_no_pen_may_say_what_all_have(code):
    process = Copies()
    [(_, whole)] = keeping.after(code, 0)
    assert process.append(code, "sam", whole) is None


def test_a_history_that_is_too_large_is_not_taken(code, monkeypatch):
    monkeypatch.setattr(keeping, "MOST_BYTES", 300)
    assert refused(code, "lena", typed("x" * 300)).status == 413


def test_texts_at_hand_take_no_more_than_they_may(monkeypatch):
    """Of a history each byte may take thirty in memory: fifty of two MiB were three GB."""
    monkeypatch.setattr(keeping, "AT_HAND_BYTES", 30_000)
    process, said = Copies(), "x" * 10_000
    codes = [workshop() for _ in range(6)]
    for code in codes:
        process.append(code, "lena", typed(said))
    assert process.size <= keeping.AT_HAND_BYTES + 2 * len(said)
    assert {process.text(code) for code in codes} == {said}


def pieces(number, writer):
    """A change by which somebody writes that often at the front, each time a letter: of such
    changes of two people the second is looked for among all of the first, a piece at a time."""

    def count(value):
        return bytes([value]) if value < 128 else bytes([value & 127 | 128, *count(value >> 7)])

    first = bytes([4, 1, len(ROOT)]) + ROOT.encode() + b"\1a"
    more = (bytes([0x44]) + count(writer) + count(n) + b"\1b" for n in range(number - 1))
    return bytes([1]) + count(number) + count(writer) + b"\0" + first + b"".join(more) + b"\0"


def test_a_change_that_would_hold_up_everybody_is_refused():
    """Of 30,000 pieces each it took two minutes, in which the web answered nobody."""
    document = Document()
    assert document.take(pieces(1500, 1))
    assert document.take(pieces(1500, 2))
    assert document.take(pieces(1500, 3)).status == 413
    assert document.take(pieces(500, 3))
    assert len(str(document)) == 3500


def test_a_text_that_was_written_to_take_long_takes_no_more(monkeypatch):
    monkeypatch.setattr(document_of, "MOST_MS", 20)
    monkeypatch.setattr(document_of, "MOST_STEPS", 10**9)
    document, writer = Document(), 1
    while isinstance(document.take(pieces(400, writer)), bytes):
        writer += 1
        assert writer < 100
    assert document.take(typed("x")).status == 413


def test_typing_is_taken_however_long_the_text_is():
    document, writer = Document(), Writer()
    for n in range(3000):
        writer.insert(n // 2, "x")
        assert isinstance(document.take(writer.unsent.pop()), bytes)


def test_no_bytes_break_the_text():
    """Changes with bytes that chance has changed are taken or refused, and raise nothing."""
    chance = random.Random(7)
    whole = typed("import torch\n\ndef f(x):\n    return x + 1\n")
    for _ in range(2000):
        raw = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        assert isinstance(Document().take(bytes(raw)), bytes | Refusal)


def test_a_refused_change_is_not_held_in_memory(code):
    """Nor what it was held against: the listener of a document holds the document."""
    process = Copies()
    with_weak = weakref.ref(process._current(code).document)
    process.append(code, "lena", typed("a\r\nb"))
    gc.collect()
    assert with_weak() is None
