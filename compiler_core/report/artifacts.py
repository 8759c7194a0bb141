"""Texts that stages produce (IR, source code, assembly), with their line maps."""

import msgspec
from msgspec import field

from compiler_core.report.vocabulary import Language


class StoredText(msgspec.Struct, frozen=True):
    """A text that is stored apart from the report, and its sizes."""

    # SHA-256, in hexadecimal, of the JSON of its Text; equal texts with equal line maps share it.
    sha256: str
    # The length of the text in UTF-8, and its number of lines.
    bytes: int
    lines: int
    # The ids that its lines come from, as in `nodes` of an artifact, as inclusive ranges.
    spans: list[tuple[int, int]] = field(default_factory=list)


class Text(msgspec.Struct, frozen=True):
    """What is stored apart from the report: an artifact's `text` and `nodes`."""

    text: str
    nodes: list[list[int]] = field(default_factory=list)


class Artifact(msgspec.Struct, frozen=True):
    """One text that a stage produced.

    `nodes` is the line map: for each line of `text` what the line comes from, the selection key of
    every pane. Ids from 0 on are captured operations; those below 0 are values of the core's IR, as
    the complement of their number: -13 is `%12`. It is empty if the text has no map.
    """

    name: str
    # "ir", "captured", "loops", "triton", "c", "ttir", "ttgir", "llir", "ptx", "sass", ...
    kind: str
    language: Language
    text: str
    nodes: list[list[int]] = field(default_factory=list)
    # The id of the kernel that the text belongs to, if it belongs to one.
    kernel: str | None = None
    # Of a stored run, where the text is stored. `text` and `nodes` are then empty, unless they were
    # requested with the report or came with a small event.
    stored: StoredText | None = None
