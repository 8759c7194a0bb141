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
# Entries of the list that is kept of a run that has ended; a large model has a thousand.
MOST_ROWS = 20_000


def entries(run_id: str, whole: report.Report) -> list[ArtifactEntry]:
    """The list of a report's artifacts, in order."""
    return [
        ArtifactEntry(
            path=path,
            url=f"/api/v1/runs/{run_id}/artifacts/{path}",
            program=program.name,
            stage=stage.name,
            name=artifact.name,
            kind=artifact.kind,
            language=artifact.language,
            graph=stage.graph,
            backend=stage.backend,
            bytes=artifact.stored.bytes if artifact.stored else len(artifact.text.encode()),
        )
        for path, program, stage, artifact in _walk(whole)
    ]


def rows(run_id: str, whole: report.Report) -> list[RunArtifact]:
    """The list of a run's artifacts, as database rows for a run that has ended."""
    found = [artifact.stored for *_, artifact in _walk(whole)]
    listed = zip(entries(run_id, whole), found, strict=True)
    return [
        RunArtifact(
            run_id=run_id,
            place=place,
            path=entry.path,
            sha256=stored.sha256 if stored else "",
            entry=msgspec.json.encode(entry),
        )
        for place, (entry, stored) in enumerate(islice(listed, MOST_ROWS))
    ]


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
