"""A shared text as a CRDT, which takes a change only after a look at what came of it, and none that
would hold up everybody (decision 124)."""

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from pycrdt import Doc, Text, get_update, merge_updates

from compiler_core.report import MAX_SOURCE_BYTES
from webapp.errors import Refusal
from webapp.workshops.text import ROOT, skimming

Found = TypeVar("Found")
# Where a piece goes is looked for among all that others have written at its place, one after the
# other, and meanwhile nobody is answered: 80 ns each, on an AMD EPYC. Steps that a change may take
# at most; and milliseconds that all changes of a text may take beyond what honest ones do, of which
# a piece takes a fiftieth of one.
MOST_STEPS, MOST_MS, _USUAL_MS = 5_000_000, 1000.0, 0.2
_ANEW = "Your page begins again from what all see; what you wrote can be taken into your own text."
_MALFORMED = Refusal(400, "That is no change of a shared text.", _ANEW, "update")
_GAP = Refusal(409, "The change builds on one that did not come.", _ANEW, "update")
_NOT_PLAIN = Refusal(422, "The shared text is plain text, with \\n at the ends of lines.", _ANEW,
                     "update")  # fmt: skip
_TOO_LONG = Refusal(
    413, f"The shared text would be longer than {MAX_SOURCE_BYTES:,} bytes.", _ANEW, "update"
)
TOO_MANY = Refusal(
    413,
    "The change has too many pieces, or the shared text was written so that changes take long.",
    "Take a copy into your own text, and go on in a new workshop.",
    "update",
)


class Document:
    """The text that `updates` make, each in Yjs' first encoding."""

    def __init__(self, updates: Iterable[bytes] = ()) -> None:
        self._doc = Doc[Text]()
        self._text = self._doc.get(ROOT, type=Text)
        # Of what was written, before it was joined with what is beside it; and the milliseconds
        # that this took beyond what is usual.
        self._pieces, self._slow_ms = 0, 0.0
        self.read(updates)

    def __str__(self) -> str:
        return str(self._text)

    def read(self, updates: Iterable[bytes]) -> None:
        """Applies changes that were taken before, here or by another process."""
        for update in updates:
            self._apply(update, skimming.update(update))

    def _apply(self, update: bytes, pieces: int) -> None:
        began = time.thread_time()
        self._doc.apply_update(update)
        took = 1e3 * (time.thread_time() - began)
        self._pieces += pieces
        self._slow_ms += max(0.0, took - _USUAL_MS * (1 + pieces))

    def take(self, update: bytes) -> bytes | Refusal:
        """What `update` brings that is not here yet, which it is from now on; b"" if nothing. After
        a refusal the document may have some of it, and is to be made anew, but for TOO_MANY."""
        pieces = _tried(lambda: skimming.update(update))
        if isinstance(pieces, Refusal):
            return pieces
        if self._slow_ms > MOST_MS or pieces * (self._pieces + pieces) > MOST_STEPS:
            return TOO_MANY
        found = _tried(lambda: self._applied(update, pieces))
        if isinstance(found, Refusal):
            return found
        news, not_placed = found
        # An update begins with how many writers it has changes of.
        if not_placed[0] != 0:
            return _GAP
        if not news:
            return b""
        return self._unfit() or merge_updates(*news)

    def _applied(self, update: bytes, pieces: int) -> tuple[list[bytes], bytes]:
        """What `update` brought, and what of it could not be placed."""
        news: list[bytes] = []
        # For as long as one listens, the document is held by its own listener.
        listening = self._doc.observe(lambda event: news.append(event.update))
        try:
            self._apply(update, pieces)
        finally:
            self._doc.unobserve(listening)
        return news, get_update(update, self.state())

    def _unfit(self) -> Refusal | None:
        text = str(self)
        if "\r" in text:
            return _NOT_PLAIN
        return _TOO_LONG if len(text.encode()) > MAX_SOURCE_BYTES else None

    def state(self) -> bytes:
        """Yjs' state vector: how far each writer's changes are here."""
        return self._doc.get_state()

    def whole(self) -> bytes:
        """All changes as one; of what was deleted, only that it was."""
        whole = self._doc.get_update()
        # What one has typed at one place is one piece by now.
        self._pieces = skimming.update(whole)
        return whole

    def since(self, state: bytes) -> bytes | Refusal:
        """What is not in a copy with this state vector."""

        def missing() -> bytes:
            skimming.state(state)
            return self._doc.get_update(state)

        return _tried(missing)


def _tried(do: Callable[[], Found]) -> Found | Refusal:
    """What `do` gives, or why the bytes that a page sent cannot be taken."""
    try:
        return do()
    except skimming.NotPlain:
        return _NOT_PLAIN
    except (ValueError, RuntimeError):
        return _MALFORMED
    except BaseException as error:
        # A panic of the Rust below is no Exception, and its type has no name that can be imported.
        if type(error).__name__ != "PanicException":
            raise
        return _MALFORMED
