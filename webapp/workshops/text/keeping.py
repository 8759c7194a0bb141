"""Stores the changes of shared texts, and knows as much of each text as is stored.

The database is the truth: a process reads what others have stored before it takes a change, so any
number of them serve one workshop, and one that starts again has lost nothing.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from django.db import transaction

from webapp.errors import Refusal
from webapp.workshops.models import Workshop
from webapp.workshops.text import pen
from webapp.workshops.text.document import TOO_MANY, Document
from webapp.workshops.text.models import TextUpdate

# Rows after which they are squashed into one; a text with its whole history may take so many bytes.
SQUASH_AFTER = 200
MOST_BYTES = 2 * 2**20
# Texts that a process has at hand, and what they take with their histories, of which a byte may
# take thirty as a document; another is read again.
_AT_HAND, AT_HAND_BYTES = 50, 2**23
_NO_PEN = Refusal(
    403,
    "You do not have the pen of the shared text.",
    "Ask whoever leads the workshop for it; what you wrote can be taken into your own text.",
    "update",
)
_FULL = Refusal(
    413,
    f"The shared text with its history would take more than {MOST_BYTES:,} bytes.",
    "Take a copy into your own text, and go on in a new workshop.",
    "update",
)


@dataclass(frozen=True)
class Stored:
    """A change that was stored as row `number`, the next after row `before`; `news` is what the
    text did not have."""

    before: int
    number: int
    news: bytes


@dataclass
class Copy:
    """A text up to the row `last`, of which there are `rows` with `size` bytes."""

    document: Document = field(default_factory=Document)
    last: int = 0
    rows: int = 0
    size: int = 0

    def read(self, rows: list[tuple[int, bytes]]) -> None:
        """Takes in what was stored after the last row."""
        self.document.read(payload for _, payload in rows)
        for number, payload in rows:
            self.count(number, payload)

    def count(self, number: int, payload: bytes) -> None:
        """Notes that the text has this row."""
        self.last, self.rows, self.size = number, self.rows + 1, self.size + len(payload)


def after(code: str, last: int) -> list[tuple[int, bytes]]:
    """The rows of a text after the row `last`, in order."""
    rows = TextUpdate.objects.filter(workshop=code, pk__gt=last).order_by("pk")
    return [(number, bytes(payload)) for number, payload in rows.values_list("pk", "payload")]


class Copies:
    """What one process knows of shared texts, by the workshop's code."""

    def __init__(self) -> None:
        self._copies = OrderedDict[str, Copy]()
        self._lock = threading.Lock()

    def text(self, code: str) -> str:
        """What a text says."""
        with self._held(code):
            return str(self._current(code).document)

    def state(self, code: str) -> bytes:
        """The state vector of a text, by which a page knows what is missing here."""
        with self._held(code):
            return self._current(code).document.state()

    def since(self, code: str, state: bytes) -> tuple[bytes, int] | Refusal:
        """What a page with this state vector lacks, and the number of the last row in it."""
        with self._held(code):
            copy = self._current(code)
            missing = copy.document.since(state)
            return missing if isinstance(missing, Refusal) else (missing, copy.last)

    def append(self, code: str, owner: str, update: bytes) -> Stored | Refusal | None:
        """Stores what the person with this digest has changed; None if nothing of it is new."""
        with self._held(code), transaction.atomic():
            # Whoever else writes in this workshop waits, so that numbers rise as rows appear.
            Workshop.objects.select_for_update().filter(pk=code).values_list("pk").first()
            copy = self._current(code)
            outcome = _append(code, owner, update, copy)
        if isinstance(outcome, Refusal) and outcome is not TOO_MANY:
            # The copy may have some of what was refused.
            self._copies.pop(code, None)
        return outcome

    @contextmanager
    def _held(self, code: str) -> Iterator[None]:
        """The text is another's only when this is done with it; it is read again where this
        failed."""
        with self._lock:
            try:
                yield
            except BaseException:
                self._copies.pop(code, None)
                raise

    def _current(self, code: str) -> Copy:
        """The text with all that is stored of it."""
        copy = self._copies.setdefault(code, Copy())
        self._copies.move_to_end(code)
        if len(self._copies) > _AT_HAND:
            self._copies.popitem(last=False)
        copy.read(after(code, copy.last))
        self._let_go()
        return copy

    def _let_go(self) -> None:
        """Of those that were not used for longest, until the others take no more than they may;
        never that which was just used."""
        while self.size > AT_HAND_BYTES and len(self._copies) > 1:
            self._copies.popitem(last=False)

    @property
    def size(self) -> int:
        """Bytes of the histories of those at hand."""
        return sum(copy.size for copy in self._copies.values())


def _append(code: str, owner: str, update: bytes, copy: Copy) -> Stored | Refusal | None:
    news = copy.document.take(update)
    if isinstance(news, Refusal) or not news:
        return news or None
    if not pen.holders(code).filter(owner=owner).exists():
        return _NO_PEN
    before = copy.last
    if copy.rows < SQUASH_AFTER and copy.size + len(news) <= MOST_BYTES:
        copy.count(_store(code, news), news)
        return Stored(before, copy.last, news)
    whole = copy.document.whole()
    if len(whole) > MOST_BYTES:
        return _FULL
    TextUpdate.objects.filter(workshop=code).delete()
    copy.rows = copy.size = 0
    copy.count(_store(code, whole), whole)
    return Stored(before, copy.last, news)


def _store(code: str, payload: bytes) -> int:
    return int(TextUpdate.objects.create(workshop_id=code, payload=payload).pk)


# What this process has at hand.
copies = Copies()
