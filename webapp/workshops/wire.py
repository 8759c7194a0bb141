"""What the API of workshops answers."""

from datetime import datetime

import msgspec


class NewWorkshop(msgspec.Struct, frozen=True):
    """The request for a workshop; `name` is that of whoever leads it, `options` what all runs in it
    have: some of device, target and toolchain; `course` the name of one of /api/v1/courses, blank
    for none."""

    title: str
    name: str
    pass_phrase: str = ""
    options: dict[str, str] = {}
    course: str = ""


class Opened(msgspec.Struct, frozen=True):
    """A workshop that was opened; `token` is the leader's, for scripts."""

    code: str
    url: str
    token: str


class Joining(msgspec.Struct, frozen=True):
    """The request for a seat; `lead` is what a leader link has, for the leader's second machine."""

    name: str
    pass_phrase: str = ""
    lead: str = ""


class Door(msgspec.Struct, frozen=True):
    """What a workshop shows to whoever has its code. `leaders`: the names of those who lead, each
    once. `seated`: they are in it already. `removed`: they were, and may not come in again.
    `was_inside`: they were, or are, and a locked door opens to them."""

    code: str
    title: str
    leaders: list[str]
    wants_pass_phrase: bool
    locked: bool
    seated: bool
    removed: bool
    was_inside: bool


class SeatRun(msgspec.Struct, frozen=True):
    """The run at a seat, its state, and what it came to in a sentence, or why it failed; blank
    until it has ended. `pictured`: /r/{id}/card.png is there. `asks`: it failed for want of inputs,
    for which its page asks. `waits`: what one that has begun waits for; blank where it goes on."""

    id: str
    state: str
    verdict: str
    pictured: bool = False
    asks: bool = False
    waits: str = ""


class SeatView(msgspec.Struct, frozen=True):
    """A person in the workshop. `here`: their page was heard of lately. `pen`: they may write in
    the shared text. `muted`: the others are told nothing of them. `run`, how many exercises they
    have `passed`, what the leader said in a `comment` that they have not read yet, whether a
    text was `sent_back` with it, and whether they are `editing` one that they have not run: only
    for the leader and for themselves."""

    id: int
    name: str
    leads: bool
    follows: bool
    here: bool
    pen: bool
    run: SeatRun | None = None
    passed: int | None = None
    comment: str = ""
    muted: bool = False
    editing: bool = False
    sent_back: bool = False


class Removed(msgspec.Struct, frozen=True):
    """The seat of somebody who was removed."""

    id: int
    name: str


class DeckAt(msgspec.Struct, frozen=True):
    """How many pages a workshop's deck has, and at which the leader is, from 0; `edition` grows
    when another course is put in, `turns` whenever a leader turns to a page: whoever turned to one
    knows by it whether what they are told is from before. `ran`: the run that a leader asked for
    last in a block, by the numbers of page and block, from 0, as in "3 1". `latest`: the leader
    went to the deck last, and to no run since."""

    page: int
    pages: int
    edition: int
    turns: int
    ran: dict[str, str]
    latest: bool


class Room(msgspec.Struct, frozen=True):
    """A workshop as one person in it sees it. `you` is the id of their seat; `place` the path and
    fragment at which the leader is, blank before the first run, `front` the seat that told of it
    last, of the leader's machines the one that is followed, and `front_tab` its tab; `handed_out`
    the number of the snippet that was handed out last, 0 if none was; `deck` is None where there is
    none; `exercises` how many there are, and `board` whether seats see how far the others are;
    `kept`: for good; `lead_link` leads another machine to the leader's seat, and `removed` are
    those who may be let back in, for leaders only."""

    code: str
    title: str
    locked: bool
    options: dict[str, str]
    place: str
    handed_out: int
    you: int
    seats: list[SeatView]
    front: int = 0
    front_tab: str = ""
    deck: DeckAt | None = None
    exercises: int = 0
    board: bool = False
    kept: bool = False
    lead_link: str = ""
    removed: list[Removed] = []


class HandOut(msgspec.Struct, frozen=True):
    """A snippet that was handed out, with its number, from 1."""

    number: int
    source: str


class HandOutEntry(msgspec.Struct, frozen=True):
    """The same in the list: what it is called, and when it was handed out."""

    number: int
    title: str
    at: datetime


class HandOuts(msgspec.Struct, frozen=True):
    """The snippets that were handed out, the newest first."""

    handouts: list[HandOutEntry]


class SentBack(msgspec.Struct, frozen=True):
    """The text that the leader sent to you with a comment; blank for none."""

    source: str


class SharedText(msgspec.Struct, frozen=True):
    """The text that the workshop writes together."""

    source: str
