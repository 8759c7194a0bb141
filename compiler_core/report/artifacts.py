"""Texts that stages produce (IR, source code, assembly), with their line maps."""

import msgspec
from msgspec import field

from compiler_core.report.vocabulary import Language


class StoredText(msgspec.Struct, frozen=True):
    """A text that is kept beside the report, and what is known of it without reading it."""

    # SHA-256, in hexadecimal, of the JSON of its Text: equal texts with equal line maps have one.
    sha256: str
    # Of the text in UTF-8.
    bytes: int
    lines: int
    # The ids of the captured operations that its lines come from, as ranges, first and last.
    spans: list[tuple[int, int]] = field(default_factory=list)


class Text(msgspec.Struct, frozen=True):
    """What is kept beside the report: an artifact's `text` and `nodes`."""

    text: str
    nodes: list[list[int]] = field(default_factory=list)


class Artifact(msgspec.Struct, frozen=True):
    """One text that a stage produced.

    `nodes` is the line map: for each line of `text`, the ids of the captured operations that the
    line comes from, the selection key of every pane. It is empty where a text has no map.
    """

    name: str
    # "ir", "captured", "loops", "triton", "c", "ttir", "ttgir", "llir", "ptx", "sass", ...
    kind: str
    language: Language
    text: str
    nodes: list[list[int]] = field(default_factory=list)
    # The kernel that the text belongs to, where it belongs to one.
    kernel: str | None = None
    # Where a run's texts are kept beside its report: which it is. `text` and `nodes` are empty
    # then, unless they were asked for with the report or came with a small event.
    stored: StoredText | None = None
