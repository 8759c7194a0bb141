"""A page of a deck as the page shows it: HTML that is safe, and between it what can be pressed.

Live are fenced blocks whose info string says so:

    ```fuselab run=softmax-rows pane=triton     an example of the gallery, or a run by its link
    ```fuselab run=softmax-rows plot=roofline   one drawing of it
    ```fuselab exercise=one-kernel              an exercise of the course
    ```python edit pane=kernels                 a snippet to change and run, and what is drawn
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
_EDITABLE = ["python", "edit"]
_RUN = re.compile(r"(?:https?://[^/\s]+)?/r/([a-z0-9]{24})(#[\w.=&%+-]{0,440})?")
_PANE = re.compile(r"[a-z]{1,20}")
# Drawings that stand alone; what each is of, the page knows.
PLOTS = ("timings", "compile", "roofline", "memory", "errors", "timeline")
_LOOKS = ({"pane"}, {"plot"}, set[str]())
_FIELDS = ({"exercise"}, *({"run"} | looks for looks in _LOOKS))
_EXAMPLE = "Write ```fuselab run=softmax-rows pane=ir, or ```fuselab exercise=NAME."
_EDIT_EXAMPLE = "Write ```python edit, ```python edit pane=kernels or ```python edit plot=memory."


class Html(msgspec.Struct, frozen=True, tag="html"):
    """Text, rendered: nothing in it runs, and nothing is fetched for it."""

    html: str


class LiveRun(msgspec.Struct, frozen=True, tag="run"):
    """A run to look at: an example of the gallery by its name, or a stored run by its path and what
    is shown of it; and the pane that is drawn, or the one plot, each "" where it is none."""

    example: str
    title: str
    place: str
    pane: str
    says: str
    plot: str = ""


class Snippet(msgspec.Struct, frozen=True, tag="snippet"):
    """A text to change and run, and what is drawn of its run: a pane, a plot, or neither."""

    source: str
    pane: str = ""
    plot: str = ""


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
    words = token.info.split()
    if token.type != "fence" or token.level:
        return None
    if words[:2] == _EDITABLE:
        return _snippet(_fields(words[2:], _LOOKS, _EDIT_EXAMPLE), token.content)
    if words[:1] != [_LIVE]:
        return None
    fields = _fields(words[1:], _FIELDS, _EXAMPLE)
    if "exercise" in fields:
        return LiveExercise(fields["exercise"])
    return _run(fields, " ".join(token.content.split()))


def _fields(words: Sequence[str], known: Sequence[set[str]], remedy: str) -> dict[str, str]:
    text = " ".join(words)
    try:
        parts = [word.partition("=") for word in shlex.split(text)]
    except ValueError:
        parts = []
    fields = {name: value for name, _, value in parts}
    if set(fields) not in known or len(fields) != len(parts):
        raise _Unknown(f'"{text[:60]}" cannot be done', remedy)
    return fields


def _snippet(fields: dict[str, str], source: str) -> Snippet:
    return Snippet(source, **_looks(fields))


def _looks(fields: dict[str, str]) -> dict[str, str]:
    """The pane and the plot to draw."""
    pane, plot = fields.get("pane", ""), fields.get("plot", "")
    if pane and not _PANE.fullmatch(pane):
        raise _Unknown(f'there is no pane "{pane[:20]}"', "Name one as ir, triton or why.")
    if plot and plot not in PLOTS:
        raise _Unknown(f'there is no plot "{plot[:20]}"', f"Choose among {', '.join(PLOTS)}.")
    return {"pane": pane, "plot": plot}


def _run(fields: dict[str, str], says: str) -> LiveRun:
    looks = _looks(fields)
    if found := _RUN.fullmatch(fields["run"]):
        return LiveRun("", "", f"/r/{found[1]}{found[2] or ''}", says=says, **looks)
    known = {example.name: example.title for example in gallery().examples}
    name = fields["run"]
    if name not in known:
        raise _Unknown(
            f'"{name[:60]}" is neither an example nor the link of a run',
            "Name an example of the gallery, such as softmax-rows, or give a link as /r/...",
        )
    return LiveRun(name, known[name], "", says=says, **looks)
