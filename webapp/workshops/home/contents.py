"""What is in the zip, file by file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from compiler_core import report
from webapp.runs.title import title
from webapp.workshops.courses import stored
from webapp.workshops.courses.course import Course
from webapp.workshops.exercises import progress
from webapp.workshops.exercises.models import Attempt
from webapp.workshops.exercises.wire import Standing
from webapp.workshops.home import results, seat_runs
from webapp.workshops.home.figures import Row
from webapp.workshops.home.names import left, of_file
from webapp.workshops.models import HandedOut, Seat, Workshop, seen_by
from webapp.workshops.text.keeping import copies

ALL_BYTES = 64 * 1024 * 1024

Entry = tuple[str, str]
_HANDED_OUT = "handed-out/"
# What `_of_the_room` has, in words, by the beginning of its paths.
_ROOMS = {
    "deck.md": "the pages",
    "shared.py": "the text that the room wrote together",
    _HANDED_OUT: "the snippets that were handed out, by their numbers",
}


@dataclass(frozen=True)
class Home:
    """Whose work is taken home: one seat's, or for whoever leads all seats'; by whom; the address
    that links begin with; and the figures of runs, by their ids."""

    workshop: Workshop
    seats: Sequence[Seat]
    you: Seat
    site: str
    figures: Mapping[str, Sequence[Row]]

    @property
    def is_all(self) -> bool:
        return self.you.leads


def entries(home: Home) -> Iterator[Entry]:
    """All files, each made when it is asked for; where they grow beyond `ALL_BYTES`, a last one
    says so."""
    room = ALL_BYTES
    for path, text in _all(home):
        room -= len(text.encode())
        if room < 0:
            yield "CUT-OFF.txt", f"{path} and what follows was left out: the zip is full.\n"
            return
        yield path, text


def _all(home: Home) -> Iterator[Entry]:
    rooms = dict(_of_the_room(home))
    yield "README.md", _readme(home, rooms)
    yield from rooms.items()
    table = list[Row]()
    for place, seat in enumerate(home.seats, 1):
        folder = f"seats/{of_file(place, seat.name)}/" if home.is_all else ""
        for number, (run, at) in enumerate(seat_runs.runs(seat), 1):
            name = _file(number, run.title or title(run.source), run.source)
            path = f"{folder}snippets/{name}"
            yield path, run.source
            figures = home.figures.get(run.pk, [])
            table += results.rows(seat, path, run, home.site + run.url, at, figures)
    yield "results.csv", results.table(results.COLUMNS, table)
    yield "exercises.csv", _attempts(home)
    if home.is_all or home.workshop.board:
        yield "board.csv", _board(home)


def _of_the_room(home: Home) -> Iterator[Entry]:
    """What all in the room have of it, where it has that."""
    course = stored.paged(home.workshop)
    if isinstance(course, Course):
        yield "deck.md", "\n\n---\n\n".join(page.text.strip() for page in course.pages) + "\n"
    if shared := copies.text(home.workshop.code):
        yield "shared.py", shared
    for each in HandedOut.objects.filter(workshop=home.workshop):
        yield f"{_HANDED_OUT}{_file(each.number, title(each.source), each.source)}", each.source


def _file(number: int, name: str, source: str) -> str:
    """A snippet is Python, or a module of StableHLO as it is."""
    return f"{of_file(number, name)}.{'mlir' if report.is_module(source) else 'py'}"


def _readme(home: Home, rooms: Iterable[str]) -> str:
    link = f"{home.site}/w/{home.workshop.code}"
    whose = "all seats, also of those who have left," if home.is_all else home.seats[0].name
    folder = "seats/.../snippets/" if home.is_all else "snippets/"
    contents = {
        folder: "every text that was run, the oldest first",
        "results.csv": "a row for each compiler of each program of each run, with the run's link; "
        "times in microseconds",
        "exercises.csv": "every attempt at an exercise, and what its checks saw",
        "board.csv": "how far all seats came" if home.is_all or home.workshop.board else "",
        **{path: says for path, says in _ROOMS.items() if any(p.startswith(path) for p in rooms)},
    }
    listed = "\n".join(f"- `{path}`: {says}" for path, says in contents.items() if says)
    return (
        f"# {home.workshop.title}\n\nWhat was run by {whose} in the workshop {link}\n\n{listed}\n\n"
        "The link of a run stays for 30 days after it was last asked for, and for good if you keep "
        "it there by *Share*.\n"
    )


def _attempts(home: Home) -> str:
    columns = ("seat", "left", "exercise", "made", "link", "passed", "of", "saw")
    tried = Attempt.objects.filter(seat__in=[seat.pk for seat in home.seats])
    rows = (_attempt(home, each) for each in tried.select_related("seat", "exercise"))
    return results.table(columns, rows)


def _attempt(home: Home, each: Attempt) -> Row:
    said: list[dict[str, Any]] = each.results
    saw = " ".join(str(result["says"]) for result in said)
    at = each.created.isoformat(timespec="seconds")
    link = f"{home.site}/r/{each.run}"
    who = (each.seat.name, left(each.seat))
    return (*who, each.exercise.name, at, link, each.passed, each.of, saw)


def _board(home: Home) -> str:
    shown = home.seats if home.is_all else seen_by(home.you)
    lines = progress.standings(home.workshop, shown)
    name, *figures = Standing.__struct_fields__
    rows = ((seat.name, left(seat), *msgspec.structs.astuple(line)[1:]) for seat, line in lines)
    return results.table((name, "left", *figures), rows)
