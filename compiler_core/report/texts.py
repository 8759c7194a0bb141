"""Stores the texts of a report apart from it, equal ones once, and puts them back.

What is stored of a text is the JSON of its `Text`. Texts are put back into the bytes of a report's
JSON without decoding it: the fields of an artifact are encoded in their order, and quotes within
strings are escaped, so the pattern matches nothing but artifacts.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator

import msgspec
from msgspec import structs

from compiler_core.report.artifacts import Artifact, StoredText, Text
from compiler_core.report.lines import line_changes
from compiler_core.report.report import Report
from compiler_core.report.stages import Stage

encode_text = msgspec.json.Encoder().encode

_MOST_SPANS = 1000
_HOLE_BEGINS = b'"text":"","nodes":[]'
# The longest place for a text: a kernel's name in it is a string of up to 64 KiB, and may be
# escaped.
_LONGEST_HOLE = 2**19
_HOLE = re.compile(
    re.escape(_HOLE_BEGINS) + rb""
    rb'(,"kernel":(?:null|"(?:[^"\\]|\\.)*+"),"stored":\{"sha256":"([0-9a-f]{64})")'
)


def counted(stage: Stage) -> Stage:
    """The stage with the numbers of lines added and removed between its "before" and its
    "after"."""
    sides = {a.name: a.text for a in stage.artifacts if a.name in ("before", "after")}
    if len(sides) < 2:
        return stage
    added, removed = line_changes(sides["before"], sides["after"])
    return structs.replace(stage, added=added, removed=removed)


def stored(artifact: Artifact) -> tuple[Artifact, bytes]:
    """The artifact, still with its text, with the hash under which the text is stored; and the
    bytes to store."""
    content = encode_text(Text(artifact.text, artifact.nodes))
    known = StoredText(
        hashlib.sha256(content).hexdigest(),
        len(artifact.text.encode()),
        artifact.text.count("\n") + 1,
        _spans({node for nodes in artifact.nodes for node in nodes}),
    )
    return structs.replace(artifact, stored=known), content


def without_text(artifact: Artifact) -> Artifact:
    """The artifact without its text and line map, if these are stored apart from the report."""
    if artifact.stored is None:
        return artifact
    return structs.replace(artifact, text="", nodes=[])


def with_artifacts(stage: Stage, change: Callable[[Artifact], Artifact]) -> Stage:
    """The stage with `change` applied to each of its artifacts."""
    return structs.replace(stage, artifacts=[change(a) for a in stage.artifacts])


def without_texts(report: Report) -> Report:
    """The report without the texts that are stored apart from it; changed in place and returned."""
    for program in report.programs:
        program.stages = [with_artifacts(stage, without_text) for stage in program.stages]
    return report


def with_texts(
    pieces: Iterable[bytes], content: Callable[[str], Iterable[bytes]]
) -> Iterator[bytes]:
    """The JSON of a report with its texts, from the JSON without them, both in pieces. `content`
    returns what is stored under a hash."""
    buffered = b""
    for piece in pieces:
        buffered += piece
        at = 0
        for hole in _HOLE.finditer(buffered):
            yield buffered[at : hole.start()]
            yield from _without_ends(content(hole[2].decode()))
            yield hole[1]
            at = hole.end()
        cut = _certain(buffered, at)
        yield buffered[at:cut]
        buffered = buffered[cut:]
    yield buffered


def _certain(buffered: bytes, at: int) -> int:
    """Up to where no hole can begin that goes on in the next piece."""
    begun = buffered.rfind(_HOLE_BEGINS, at)
    if begun < 0 or len(buffered) - begun > _LONGEST_HOLE:
        return max(at, len(buffered) - len(_HOLE_BEGINS))
    return begun


def _without_ends(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Without the braces around it, the stored JSON is the artifact's two fields."""
    buffered, begun = b"", False
    for piece in pieces:
        buffered += piece
        if len(buffered) > 1:
            yield buffered[not begun : -1]
            buffered, begun = buffered[-1:], True


def _spans(nodes: set[int]) -> list[tuple[int, int]]:
    """The ids as inclusive ranges; one range over all of them if there would be too many."""
    spans: list[tuple[int, int]] = []
    for node in sorted(nodes):
        if spans and node == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], node)
        else:
            spans.append((node, node))
    return spans if len(spans) <= _MOST_SPANS else [(spans[0][0], spans[-1][1])]
