"""Whoever writes at the same time, whatever is dropped and started again, all have the same text in
the end, and all of what was written."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.webapp.workshops.text.writers import Writer, workshop
from webapp.workshops.text import keeping
from webapp.workshops.text.keeping import Copies
from webapp.workshops.text.models import TextUpdate

pytestmark = pytest.mark.django_db
WRITERS, PROCESSES = 3, 2
who = st.integers(0, WRITERS - 1)
at = st.integers(0, 50)
steps = st.one_of(
    st.tuples(st.just("write"), who, at),
    st.tuples(st.just("write unheard"), who, at),
    st.tuples(st.just("insert"), who, at),
    st.tuples(st.just("delete"), who, at, st.integers(1, 8)),
    st.tuples(st.just("send"), who),
    st.tuples(st.just("cut"), who),
    st.tuples(st.just("connect"), who, st.integers(0, PROCESSES - 1)),
    st.tuples(st.just("restart"), st.integers(0, PROCESSES - 1)),
)


def word(number):
    """Of two letters and an emoji, each of which is in this one alone, so that it can be told of
    each whether it is there."""
    return "".join(chr(first + number) for first in (0x100, 0x4E00, 0x1F300))


class Room:
    """Some writers, and the web processes that they are connected to."""

    def __init__(self) -> None:
        self.code = workshop()
        self.processes = [Copies() for _ in range(PROCESSES)]
        self.writers = [Writer() for _ in range(WRITERS)]
        self.words = 0
        self.deleted = ""
        for each in range(WRITERS):
            self.connect(each, each % PROCESSES)

    def insert(self, who, at):
        self.words += 1
        self.writers[who].insert(at, word(self.words))

    def write(self, who, at):
        self.insert(who, at)
        self.send(who)

    def delete(self, who, at, length):
        self.deleted += self.writers[who].delete(at, length)

    def send(self, who):
        for stored in self.writers[who].send(self.code):
            for writer in self.writers:
                writer.hear(self.code, stored)

    def write_unheard(self, who, at):
        """The messages of the group are lost."""
        self.insert(who, at)
        self.writers[who].send(self.code)

    def cut(self, who):
        self.writers[who].cut()

    def connect(self, who, process):
        for stored in self.writers[who].connect(self.code, self.processes[process]):
            for writer in self.writers:
                writer.hear(self.code, stored)

    def restart(self, process):
        """A process that starts again knows what the database has; its lines are cut."""
        old, self.processes[process] = self.processes[process], Copies()
        for writer in self.writers:
            if writer.process is old:
                writer.cut()

    def settle(self):
        for who, writer in enumerate(self.writers):
            if writer.process is None:
                self.connect(who, 0)
            self.send(who)
        for writer in self.writers:
            writer.look(self.code)


@given(st.lists(steps, min_size=10, max_size=40))
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_all_end_equal_and_no_edit_is_lost(history):
    keeping.SQUASH_AFTER, before = 4, keeping.SQUASH_AFTER
    try:
        room = Room()
        for name, *rest in history:
            getattr(room, name.replace(" ", "_"))(*rest)
        room.settle()
    finally:
        keeping.SQUASH_AFTER = before
    texts = {str(writer.text) for writer in room.writers}
    texts.add(Copies().text(room.code))
    assert len(texts) == 1
    [text] = texts
    written = "".join(word(n) for n in range(1, room.words + 1))
    # Nobody types a letter again that somebody deleted, so that each is there once or not at all.
    assert sorted(text) == sorted({*written} - {*room.deleted})
    assert TextUpdate.objects.filter(workshop=room.code).count() <= 5


def test_a_text_squashed_many_times_is_as_short_as_what_was_written(monkeypatch):
    monkeypatch.setattr(keeping, "SQUASH_AFTER", 10)
    code, process, writer = workshop(), Copies(), Writer()
    writer.connect(code, process)
    for at in range(100):
        writer.insert(at, "x")
        writer.send(code)
    rows = keeping.after(code, 0)
    assert len(rows) <= 10
    assert sum(len(payload) for _, payload in rows) < 100 + 30 * 10
    assert Copies().text(code) == "x" * 100
