"""The texts of a run: stored apart from its events and its report, compressed, equal ones once.

Small texts, and the captured program, which people wait for, also stay in their events, so that
nobody has to request them.
"""

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Sum
from django.db.models.functions import Length
from msgspec import structs

from compiler_core import report
from compiler_core.report import Artifact, Event, Notice, Noticed, Stage, StageDone
from webapp.runs import pieces, plain
from webapp.runs.models import RunEvent, RunText

# What the texts of a run may take, compressed.
MOST_BYTES = 16 * 2**20
# What a text's row takes beside its content, about: a million of tiny texts are no small thing.
_ROW_BYTES = 512
# A text that events carry with them.
SMALL_BYTES = 4000
_LEVEL = 5
_LIMIT = f"A run keeps {MOST_BYTES >> 20} MiB of texts, compressed, and this one has more"
# What stands in the place of a text for which there was no room.
LEFT_OUT = f"Left out: {_LIMIT[0].lower()}{_LIMIT[1:]}.\n"
_NOTICE = Noticed(
    Notice(
        "warning",
        f"{_LIMIT}: some texts were left out. Choose fewer compilers, or fewer programs a snippet.",
        by_service=True,
    )
)


@dataclass(frozen=True)
class Apart:
    """Events with references to their texts, and the texts that are not stored yet."""

    events: Sequence[Event]
    new: Sequence[RunText]

    @property
    def bytes(self) -> int:
        """What storing both takes."""
        return sum(_cost(row.content) for row in self.new)


def refer(artifact: Artifact, contents: dict[str, bytes]) -> Artifact:
    """The artifact with the hash of its text, which goes into `contents` by it; without any if it
    has no text, for where one is kept is for this side alone to say."""
    if not (artifact.text or artifact.nodes):
        return structs.replace(artifact, stored=None)
    hashed, content = report.stored(artifact)
    assert hashed.stored is not None
    contents[hashed.stored.sha256] = content
    return hashed


def apart(run_id: str, batch: Sequence[Event]) -> Apart:
    """The events of `batch`, and separately their texts."""
    contents: dict[str, bytes] = {}
    referring = [_change_artifacts(event, lambda _, x: refer(x, contents)) for event in batch]
    if not contents:
        return Apart(referring, [])
    new, left_out = _compressed(run_id, contents)

    def cut(stage: Stage, artifact: Artifact) -> Artifact:
        if artifact.stored and artifact.stored.sha256 in left_out:
            return structs.replace(artifact, text=LEFT_OUT, nodes=[], stored=None)
        return artifact if _stays(stage, artifact) else report.without_text(artifact)

    notice = [_NOTICE] if left_out and not _noticed(run_id) else []
    return Apart([*(_change_artifacts(event, cut) for event in referring), *notice], new)


def store(new: Sequence[RunText]) -> None:
    """Stores texts; those that are stored already stay as they are."""
    RunText.objects.bulk_create(new, ignore_conflicts=True)


def read(run_id: str, sha256: str) -> Iterator[bytes]:
    """The text of a run with this hash, in UTF-8, each piece read when it is wanted. Raises
    RunText.DoesNotExist, then."""
    return plain.text(pieces.unpacked(packed(run_id, sha256)))


def packed(run_id: str, sha256: str) -> Iterator[bytes]:
    """The same with its line map as it is stored, a report.Text in gzip."""
    row = RunText.objects.filter(run_id=run_id, sha256=sha256)
    yield from pieces.stored(row, "content", range(pieces.stored_bytes(row, "content")))


def stored_bytes(run_id: str) -> int:
    """The bytes that the stored texts of a run take."""
    kept = RunText.objects.filter(run_id=run_id)
    found = kept.aggregate(sum=Sum(Length("content")), rows=Count("id"))
    return (found["sum"] or 0) + _ROW_BYTES * found["rows"]


def _cost(content: bytes) -> int:
    return _ROW_BYTES + len(content)


def _change_artifacts(event: Event, change: Callable[[Stage, Artifact], Artifact]) -> Event:
    if not isinstance(event, StageDone):
        return event
    artifacts = [change(event.stage, artifact) for artifact in event.stage.artifacts]
    return structs.replace(event, stage=structs.replace(event.stage, artifacts=artifacts))


def _stays(stage: Stage, artifact: Artifact) -> bool:
    """Whether the event carries the text."""
    first_look = stage.kind == "capture" and not stage.compiler
    return first_look or (artifact.stored is not None and artifact.stored.bytes <= SMALL_BYTES)


def _compressed(run_id: str, contents: dict[str, bytes]) -> tuple[list[RunText], set[str]]:
    """Those that are not kept yet, and the hashes of those for which there is no room."""
    room = MOST_BYTES - stored_bytes(run_id)
    known = RunText.objects.filter(run_id=run_id, sha256__in=contents)
    kept = set(known.values_list("sha256", flat=True))
    new: list[RunText] = []
    left_out: set[str] = set()
    for sha256 in contents.keys() - kept:
        content = gzip.compress(contents[sha256], _LEVEL, mtime=0)
        if _cost(content) > room:
            left_out.add(sha256)
            continue
        room -= _cost(content)
        new.append(RunText(run_id=run_id, sha256=sha256, content=content))
    return new, left_out


def _noticed(run_id: str) -> bool:
    payload = report.encode_event(_NOTICE)
    return RunEvent.objects.filter(run_id=run_id, payload=payload).exists()
