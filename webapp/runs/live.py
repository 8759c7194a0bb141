"""Reports of runs that go on, as they were last decoded: whoever asks again before anything more
was said, as a script does that waits for the end, is answered with what is there (decision 122)."""

from typing import NamedTuple

from webapp.lru import LruCache
from webapp.runs.models import FINAL, Run

# Of one web process; a GPT of twelve blocks says a MiB of itself while it runs, without its texts.
MOST_BYTES = 16 * 2**20


class Known(NamedTuple):
    """The JSON of a report, the number of the last event in it, and what it was made at."""

    raw: bytes
    seq: int
    moment: tuple[object, ...]

    def is_of(self, run: Run) -> bool:
        """Whether nothing more was said of the run since then."""
        return self.moment == moment(run)


def moment(run: Run) -> tuple[object, ...]:
    """What changes whenever there is more to say of the run."""
    return run.started, run.last_seq, run.state in FINAL


def known_reports(most: int = MOST_BYTES) -> LruCache[str, Known]:
    """None yet, by the ids of their runs."""
    return LruCache(most, lambda id_, known: len(id_) + len(known.raw))
