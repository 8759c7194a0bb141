"""A page of a deck as the page shows it: HTML that is safe, and between it what can be pressed.

Live are fenced blocks whose info string says so:

    ```fuselab run=softmax-rows pane=triton     an example of the gallery, or a run by its link
    ```fuselab exercise=one-kernel              an exercise of the course
    ```python edit                              a snippet that a button puts into the editor
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec
from markdown_it.token import Token

from webapp.errors import Refusal
from webapp.examples.gallery import gallery
from webapp.workshops.courses import markdown
from webapp.workshops.courses.course import Page

_LIVE = "fuselab"
_EDITABLE = "python edit"
_RUN = re.compile(r"(?:https?://[^/\s]+)?/r/([a-z0-9]{24})(#[\w.=&%+-]{0,440})?")
_PANE = re.compile(r"[a-z]{2,20}")
_FIELDS = ({"run"}, {"run", "pane"}, {"exercise"})
_EXAMPLE = "Write ```fuselab run=softmax-rows pane=ir, or ```fuselab exercise=NAME."


class Html(msgspec.Struct, frozen=True, tag="html"):
    """Text, rendered: nothing in it runs, and nothing is fetched for it."""

    html: str


class LiveRun(msgspec.Struct, frozen=True, tag="run"):
    """A run to open: an example of the gallery by its name, or a stored run by its path and what
    is shown of it; and the pane to look at, "" for the one that is there."""

    example: str
    title: str
    place: str
    pane: str
    says: str


class Snippet(msgspec.Struct, frozen=True, tag="snippet"):
    """A text to put into the editor."""

    source: str


class LiveExercise(msgspec.Struct, frozen=True, tag="exercise"):
    """An exercise to begin."""

    name: str


Block = Html | LiveRun | Snippet | LiveExercise


class PageView(msgspec.Struct, frozen=True):
    """A page: its title, and its blocks in order."""

    title: str
    blocks: list[Block]


class _Unknown(Exception):
    """A live block that says nothing that can be done: its message, and the remedy."""


@lru_cache(maxsize=256)
def rendered(text: str) -> PageView:
    """A page whose text has no `fault`."""
    tokens = markdown.parsed(text)
    blocks, still = list[Block](), list[Token]()
    for token in tokens:
        block = _live(token)
        if block is None:
            still.append(token)
            continue
        blocks += [*_html(still), block]
        still = []
    return PageView(markdown.title(tokens), [*blocks, *_html(still)])


def fault(page: Page, exercises: Sequence[str]) -> Refusal | None:
    """What is wrong with the live blocks of a page of a course with these exercises."""
    for token in markdown.parsed(page.text):
        try:
            block = _live(token)
        except _Unknown as unknown:
            message, remedy = unknown.args
        else:
            if not isinstance(block, LiveExercise) or block.name in exercises:
                continue
            message = f"there is no exercise {block.name}"
            remedy = f"Choose among {', '.join(exercises) or 'none'}, or add it."
        line = token.map[0] + 1 if token.map else 1
        return Refusal(422, f"{page.path}, line {line}: {message}.", remedy, page.path)
    return None


def _html(tokens: Sequence[Token]) -> Iterator[Html]:
    if tokens:
        yield Html(markdown.html(tokens))


def _live(token: Token) -> Block | None:
    """What a fenced block of a page is besides text; None where it is text. Raises _Unknown."""
    info = token.info.strip()
    if token.type != "fence" or token.level:
        return None
    if info == _EDITABLE:
        return Snippet(token.content)
    if info.split(" ")[0] != _LIVE:
        return None
    fields = _fields(info.removeprefix(_LIVE))
    if "exercise" in fields:
        return LiveExercise(fields["exercise"])
    return _run(fields, " ".join(token.content.split()))


def _fields(text: str) -> dict[str, str]:
    try:
        parts = [word.partition("=") for word in shlex.split(text)]
    except ValueError:
        parts = []
    fields = {name: value for name, _, value in parts}
    if set(fields) not in _FIELDS or len(fields) != len(parts):
        raise _Unknown(f'"fuselab{text[:60]}" cannot be done', _EXAMPLE)
    return fields


def _run(fields: dict[str, str], says: str) -> LiveRun:
    pane = fields.get("pane", "")
    if pane and not _PANE.fullmatch(pane):
        raise _Unknown(f'there is no pane "{pane[:20]}"', "Name one as ir, triton or why.")
    if found := _RUN.fullmatch(fields["run"]):
        return LiveRun("", "", f"/r/{found[1]}{found[2] or ''}", pane, says)
    known = {example.name: example.title for example in gallery().examples}
    name = fields["run"]
    if name not in known:
        raise _Unknown(
            f'"{name[:60]}" is neither an example nor the link of a run',
            "Name an example of the gallery, such as softmax-rows, or give a link as /r/...",
        )
    return LiveRun(name, known[name], "", pane, says)
