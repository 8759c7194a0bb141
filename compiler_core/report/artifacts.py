"""Texts that stages produce (IR, source code, assembly), with their line maps."""

import msgspec
from msgspec import field

from compiler_core.report.vocabulary import Language


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
