"""The addresses of a report's artifacts: "<program>.<stage>.<artifact>" in lower-case words.

`program` is the program's number, from 0. Names that repeat within a report get "-2", "-3" and so
on, so that an address never changes while the report grows.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import msgspec

from compiler_core import report
from webapp.runs.models import RunArtifact
from webapp.runs.wire import ArtifactEntry

_OTHER = re.compile(r"[^a-z0-9_+-]+")
_LONGEST_WORD = 80
_PATH = re.compile(r"[a-z0-9_+.-]+")
# Each entry has the names of its program and its stage, which a stranger may have made long.
_LONGEST_NAME = 120
# Entries of the list, and their bytes; a large model has a thousand, of half a MiB.
MOST_ROWS, MOST_BYTES = 20_000, 4 * 2**20


def entries(run_id: str, whole: report.Report) -> list[ArtifactEntry]:
    """The list of a report's artifacts, in order, as far as it goes."""
    return [entry for entry, _ in _listed(run_id, whole)]


def rows(run_id: str, whole: report.Report) -> list[RunArtifact]:
    """The list of a run's artifacts, as database rows for a run that has ended."""
    return [
        RunArtifact(
            run_id=run_id,
            place=place,
            path=entry.path,
            sha256=artifact.stored.sha256 if artifact.stored else "",
            entry=msgspec.json.encode(entry),
        )
        for place, (entry, artifact) in enumerate(_listed(run_id, whole))
    ]


def _listed(run_id: str, whole: report.Report) -> Iterator[tuple[ArtifactEntry, report.Artifact]]:
    """The first of them, by number and by the bytes of their entries."""
    size = 0
    for path, program, stage, artifact in islice(_walk(whole), MOST_ROWS):
        entry = ArtifactEntry(
            path=path,
            url=f"/api/v1/runs/{run_id}/artifacts/{path}",
            program=_shown(program.name),
            stage=_shown(stage.name),
            name=_shown(artifact.name),
            kind=_shown(artifact.kind),
            language=_shown(artifact.language),
            graph=_shown(stage.graph),
            backend=_shown(stage.backend),
            bytes=artifact.stored.bytes if artifact.stored else len(artifact.text.encode()),
        )
        size += len(msgspec.json.encode(entry))
        if size > MOST_BYTES:
            return
        yield entry, artifact


def _shown(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}..."


def is_path(text: str) -> bool:
    """Whether a text may be an address: PostgreSQL looks for none with a NUL character in it."""
    return _PATH.fullmatch(text) is not None


def find(whole: report.Report, path: str) -> report.Artifact | None:
    """The artifact at an address; None if there is none."""
    return next((artifact for found, _, _, artifact in _walk(whole) if found == path), None)


_Place = tuple[str, report.Program, report.Stage, report.Artifact]


def _walk(whole: report.Report) -> Iterator[_Place]:
    seen: Counter[str] = Counter()
    for number, program in enumerate(whole.programs):
        for stage in program.stages:
            for artifact in stage.artifacts:
                path = f"{number}.{_word(stage.name)}.{_word(artifact.name)}"
                seen[path] += 1
                again = f"-{seen[path]}" if seen[path] > 1 else ""
                yield path + again, program, stage, artifact


def _word(name: str) -> str:
    return _OTHER.sub("-", name[:_LONGEST_WORD].lower()).strip("-") or "unnamed"
