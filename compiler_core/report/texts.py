"""The texts of a report apart from it: taken out, equal ones kept once, and put back.

What is kept of a text is the JSON of its `Text`. Putting texts back works on the bytes of a
report's JSON without decoding it: the fields of an artifact are written in their order, and quotes
within strings are escaped, so what the pattern matches can only be an artifact.
"""

import hashlib
import re
from collections.abc import Callable

import msgspec
from msgspec import structs

from compiler_core.report.artifacts import Artifact, StoredText, Text
from compiler_core.report.lines import line_changes
from compiler_core.report.program import Stage
from compiler_core.report.report import Report

encode_text = msgspec.json.Encoder().encode
decode_text = msgspec.json.Decoder(Text).decode

_MOST_SPANS = 1000
_HOLE = re.compile(
    rb'"text":"","nodes":\[\]'
    rb'(,"kernel":(?:null|"(?:[^"\\]|\\.)*+"),"stored":\{"sha256":"([0-9a-f]{64})")'
)


def counted(stage: Stage) -> Stage:
    """`stage` with the number of lines between its "before" and its "after"."""
    sides = {a.name: a.text for a in stage.artifacts if a.name in ("before", "after")}
    if len(sides) < 2:
        return stage
    added, removed = line_changes(sides["before"], sides["after"])
    return structs.replace(stage, added=added, removed=removed)


def stored(artifact: Artifact) -> tuple[Artifact, bytes]:
    """`artifact`, still with its text, with the hash under which the text is kept; and the bytes to
    keep."""
    content = encode_text(Text(artifact.text, artifact.nodes))
    known = StoredText(
        hashlib.sha256(content).hexdigest(),
        len(artifact.text.encode()),
        artifact.text.count("\n") + 1,
        _spans({node for nodes in artifact.nodes for node in nodes}),
    )
    return structs.replace(artifact, stored=known), content


def without_text(artifact: Artifact) -> Artifact:
    """`artifact` without what is kept beside the report."""
    if artifact.stored is None:
        return artifact
    return structs.replace(artifact, text="", nodes=[])


def with_artifacts(stage: Stage, change: Callable[[Artifact], Artifact]) -> Stage:
    """`stage` with `change` applied to each artifact."""
    return structs.replace(stage, artifacts=[change(a) for a in stage.artifacts])


def without_texts(report: Report) -> Report:
    """`report` without the texts that are kept beside it; changed in place and returned."""
    for program in report.programs:
        program.stages = [with_artifacts(stage, without_text) for stage in program.stages]
    return report


def with_texts(raw: bytes, content: Callable[[str], bytes]) -> bytes:
    """The JSON of a report with its texts, from the JSON without them. `content` returns what is
    kept of the text with a hash."""

    def fill(hole: re.Match[bytes]) -> bytes:
        # Without the braces around it, the kept JSON is the artifact's two fields.
        return content(hole[2].decode())[1:-1] + hole[1]

    return _HOLE.sub(fill, raw)


def _spans(nodes: set[int]) -> list[tuple[int, int]]:
    """Ranges of the ids; one range over all where they are too scattered to be worth telling
    apart."""
    spans: list[tuple[int, int]] = []
    for node in sorted(nodes):
        if spans and node == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], node)
        else:
            spans.append((node, node))
    return spans if len(spans) <= _MOST_SPANS else [(spans[0][0], spans[-1][1])]
