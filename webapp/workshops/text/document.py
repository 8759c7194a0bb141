"""A shared text as a CRDT, which takes a change only after a look at what came of it."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from pycrdt import Doc, Text, get_update, merge_updates

from compiler_core.report import MAX_SOURCE_BYTES
from webapp.errors import Refusal
from webapp.workshops.text import ROOT, skimming

Found = TypeVar("Found")
_ANEW = "Your page begins again from what all see; what you wrote can be taken into your own text."
_MALFORMED = Refusal(400, "That is no change of a shared text.", _ANEW, "update")
_GAP = Refusal(409, "The change builds on one that did not come.", _ANEW, "update")
_NOT_PLAIN = Refusal(422, "The shared text is plain text, with \\n at the ends of lines.", _ANEW,
                     "update")  # fmt: skip
_TOO_LONG = Refusal(
    413, f"The shared text would be longer than {MAX_SOURCE_BYTES:,} bytes.", _ANEW, "update"
)


class Document:
    """The text that `updates` make, each in Yjs' first encoding."""

    def __init__(self, updates: Iterable[bytes] = ()) -> None:
        self._doc = Doc[Text]()
        self._text = self._doc.get(ROOT, type=Text)
        self.read(updates)

    def __str__(self) -> str:
        return str(self._text)

    def read(self, updates: Iterable[bytes]) -> None:
        """Applies changes that were taken before, here or by another process."""
        for update in updates:
            self._doc.apply_update(update)

    def take(self, update: bytes) -> bytes | Refusal:
        """What `update` brings that is not here yet, which it is from now on; b"" if nothing. After
        a refusal the document may have some of it, and is to be made anew."""
        found = _tried(lambda: self._applied(update))
        if isinstance(found, Refusal):
            return found
        news, not_placed = found
        # An update begins with how many writers it has changes of.
        if not_placed[0] != 0:
            return _GAP
        if not news:
            return b""
        return self._unfit() or merge_updates(*news)

    def _applied(self, update: bytes) -> tuple[list[bytes], bytes]:
        """What `update` brought, and what of it could not be placed."""
        skimming.update(update)
        news: list[bytes] = []
        # For as long as one listens, the document is held by its own listener.
        listening = self._doc.observe(lambda event: news.append(event.update))
        try:
            self._doc.apply_update(update)
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
        return self._doc.get_update()

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
