"""What the API of exercises takes and answers."""

import msgspec

from webapp.workshops.exercises.checking import Result


class Files(msgspec.Struct, frozen=True):
    """An exercise as the files of its folder: exercise.toml, start.py, answer.py, reference.py."""

    toml: str
    start: str
    answer: str = ""
    reference: str = ""


class AttemptView(msgspec.Struct, frozen=True):
    """A run that is an answer: what each check saw. `pending`: it goes on, or what it is compared
    by does; ask for the same again. While one of these waits, `ahead` and `wait_s` are the runs
    before the last of them, and about how many seconds these take; None where nobody knows.
    `waits_for`: why no worker takes any now."""

    run: str
    passed: bool
    pending: bool
    results: list[Result]
    # Its own run has not ended.
    runs: bool = False
    ahead: int | None = None
    wait_s: int | None = None
    waits_for: str = ""


class ExerciseView(msgspec.Struct, frozen=True):
    """An exercise as a seat sees it: `text`, and the hints that were `opened` of all `hints`, as
    HTML of their Markdown; in `wants` what each check wants, in words, of the `call`; `last` the
    newest attempt of this seat's, and `passed` whether any was."""

    name: str
    title: str
    text: str
    start: str
    wants: list[str]
    call: str
    hints: int
    opened: list[str]
    attempts: int
    passed: bool
    last: AttemptView | None


class Exercises(msgspec.Struct, frozen=True):
    """The exercises of a workshop, in order."""

    exercises: list[ExerciseView]


class Hint(msgspec.Struct, frozen=True):
    """A hint as HTML, counted from 1."""

    number: int
    text: str


class Tried(msgspec.Struct, frozen=True):
    """The request for the run by which a text is checked; `editor` as of any run."""

    source: str
    editor: str = ""


class Attempted(msgspec.Struct, frozen=True):
    """The request to check a run, by its id."""

    run: str


class Standing(msgspec.Struct, frozen=True):
    """A line of the board: checks passed of all there are, exercises passed, the geometric mean of
    the core's speed-up in those, where it was measured; attempts made and hints opened."""

    name: str
    checks: int
    of: int
    exercises: int
    speedup: float | None
    attempts: int
    hints: int


class Board(msgspec.Struct, frozen=True):
    """All seats but the leaders', the furthest first."""

    seats: list[Standing]
