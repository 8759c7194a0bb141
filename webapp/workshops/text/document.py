"""A shared text as a CRDT, which takes a change only after a look at what came of it."""

from collections.abc import Iterable

from pycrdt import Doc, Text, get_update, merge_updates

from compiler_core.report import MAX_SOURCE_BYTES
from webapp.errors import Refusal

# What the text is called in the document; frontend/src/workshop/shared/session.ts has the same.
ROOT = "source"
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
        self._doc: Doc = Doc()
        self._text = self._doc.get(ROOT, type=Text)
        self._news: list[bytes] = []
        self.read(updates)
        self._doc.observe(lambda event: self._news.append(event.update))

    def __str__(self) -> str:
        return str(self._text)

    def read(self, updates: Iterable[bytes]) -> None:
        """Applies changes that were taken before, here or by another process."""
        for update in updates:
            self._doc.apply_update(update)

    def take(self, update: bytes) -> bytes | Refusal:
        """What `update` brings that is not here yet, which it is from now on; b"" if nothing. After
        a refusal the document may have some of it, and is to be made anew."""
        self._news.clear()
        try:
            self._doc.apply_update(update)
            not_placed = get_update(update, self.state())
        except ValueError:
            return _MALFORMED
        # An update begins with how many writers it has changes of.
        if not_placed[0] != 0:
            return _GAP
        if not self._news:
            return b""
        return self._unfit() or merge_updates(*self._news)

    def _unfit(self) -> Refusal | None:
        if set(self._doc.keys()) != {ROOT} or not all(map(_is_plain, self._text.diff())):
            return _NOT_PLAIN
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
        try:
            return self._doc.get_update(state)
        except ValueError:
            return _MALFORMED


def _is_plain(part: tuple[object, object]) -> bool:
    content, attributes = part
    return isinstance(content, str) and not attributes
