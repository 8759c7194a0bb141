"""Pages that write in a shared text, without a browser: a CRDT each, and a line that may drop."""

from dataclasses import dataclass, field

from pycrdt import Doc, Text

from webapp.errors import Refusal
from webapp.workshops.models import Seat, Workshop
from webapp.workshops.text import ROOT, keeping
from webapp.workshops.text.keeping import Copies, Stored
from webapp.workshops.text.line import Sent


def workshop(*seats: Seat) -> str:
    """The code of a new workshop, with a leader "lena" and with these seats."""
    made = Workshop.objects.create(title="Fusion")
    Seat.objects.create(workshop=made, owner="lena", name="Lena", leads=True)
    for seat in seats:
        seat.workshop = made
        seat.save()
    return made.pk


def typed(text: str) -> bytes:
    """The change of somebody who types this into a new copy of the text."""
    writer = Writer()
    writer.insert(0, text)
    return writer.doc.get_update()


@dataclass
class Writer:
    """One page. `process` is what serves it while its line holds; what it has changed since it was
    last sent is in `unsent`."""

    doc: Doc = field(default_factory=Doc)
    sent: Sent = field(default_factory=Sent)
    process: Copies | None = None
    unsent: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.text = self.doc.get(ROOT, type=Text)
        self.doc.observe(lambda event: self.unsent.append(event.update))

    def insert(self, at: int, what: str) -> None:
        self.text.insert(self._place(at), what)

    def delete(self, at: int, length: int) -> str:
        """Returns what it deleted."""
        whole = str(self.text)
        start = at % (len(whole) + 1)
        end = min(start + length, len(whole))
        del self.text[self._place(start) : self._place(end)]
        return whole[start:end]

    def _place(self, at: int) -> int:
        """Where the character `at`, counted around, begins in bytes, as pycrdt counts."""
        whole = str(self.text)
        return len(whole[: at % (len(whole) + 1)].encode())

    def connect(self, code: str, process: Copies) -> list[Stored]:
        """As the line begins: each says what it has, and gets what it lacks."""
        self.process, self.sent = process, Sent()
        sent = self.doc.get_update(process.state(code))
        stored = process.append(code, "lena", sent)
        assert not isinstance(stored, Refusal), stored
        missing = process.since(code, self.doc.get_state())
        assert not isinstance(missing, Refusal)
        self.receive(missing[0])
        self.sent.last = missing[1]
        self.unsent.clear()
        return [stored] if stored else []

    def send(self, code: str) -> list[Stored]:
        """What was changed, on its way in the order of writing; nowhere while the line is cut."""
        if self.process is None:
            return []
        outcomes = [self.process.append(code, "lena", each) for each in self.unsent]
        self.unsent.clear()
        assert not any(isinstance(each, Refusal) for each in outcomes), outcomes
        return [each for each in outcomes if isinstance(each, Stored)]

    def hear(self, code: str, stored: Stored) -> None:
        """As webapp/live/text.py does with a message of the group."""
        if self.process is None:
            return
        if self.sent.is_behind(stored):
            self.look(code)
        elif news := self.sent.hear(stored):
            self.receive(news)

    def look(self, code: str) -> None:
        """As it does every few seconds."""
        assert self.sent.last is not None
        for number, payload in keeping.after(code, self.sent.last):
            self.sent.last = number
            self.receive(payload)

    def receive(self, update: bytes) -> None:
        before = list(self.unsent)
        self.doc.apply_update(update)
        # What others wrote is not to be sent.
        self.unsent[:] = before

    def cut(self) -> None:
        self.process = None
