"""A page of a deck as the page shows it: HTML that is safe, and between it what can be pressed.

Live are fenced blocks whose info string says so:

    ```fuselab run=softmax-rows pane=triton     an example of the gallery, or a run by its link
    ```fuselab run=softmax-rows plot=roofline   one drawing of it
    ```fuselab exercise=one-kernel              an exercise of the course
    ```python edit pane=kernels                 a snippet to change and run, and what is drawn
"""

import re
import shlex
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

import msgspec
from markdown_it.token import Token

from webapp.errors import Refusal
from webapp.examples.gallery import gallery
from webapp.lru import lru_cached
from webapp.workshops.courses import markdown
from webapp.workshops.courses.course import Page

# Bytes of pages that are kept as they are shown, and of their blocks, of which each has some more
# than its text.
_KEPT, _FENCE = 2**24, 500
_LIVE = "fuselab"
_EDITABLE = ["python", "edit"]
_RUN = re.compile(r"(?:https?://[^/\s]+)?/r/([a-z0-9]{24})(#[\w.=&%+-]{0,440})?")
_PANE = re.compile(r"[a-z]{1,20}")
# What the page calls its panes.
PANES = (
    "source", "stages", "ir", "fusion", "captured", "loops", "triton", "c", "assembly", "reference",
    "why", "timings", "timeline", "kernels", "numerics", "memory", "mesh", "agreement", "tables",
    "output",
)  # fmt: skip
# Drawings that stand alone; what each is of, the page knows.
PLOTS = ("timings", "compile", "roofline", "memory", "errors", "timeline")
_LOOKS = ({"pane"}, {"plot"}, set[str]())
_FIELDS = ({"exercise"}, *({"run"} | looks for looks in _LOOKS))
_EXAMPLE = "Write ```fuselab run=softmax-rows pane=ir, or ```fuselab exercise=NAME."
# What only a live block has in its first line.
_MEANT = re.compile(r"\b(?:run|exercise|pane|plot)=")
_EDIT_EXAMPLE = "Write ```python edit, ```python edit pane=kernels or ```python edit plot=memory."


class Html(msgspec.Struct, frozen=True, tag="html"):
    """Text, rendered: nothing in it runs, and nothing is fetched for it."""

    html: str


class LiveRun(msgspec.Struct, frozen=True, tag="run"):
    """A run to look at: an example of the gallery by its name, or a stored run by its path and what
    is shown of it; and the pane that is drawn, or the one plot, each "" where it is none. `says` is
    a line of safe HTML."""

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


@lru_cached(_KEPT, lambda view: len(msgspec.json.encode(view)))
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


@lru_cached(_KEPT, lambda found: sum(_FENCE + len(each.content) for each in found))
def _fences(text: str) -> list[Token]:
    return markdown.fences(text)


# A page is looked through as often as somebody reads the deck, and is the same each time.
@lru_cache(maxsize=256)
def fault(page: Page, exercises: tuple[str, ...]) -> Refusal | None:
    """What is wrong with the live blocks of a page of a course with these exercises: it cannot be
    shown."""
    for token in _fences(page.text):
        try:
            block = _live(token)
        except _Unknown as unknown:
            message, remedy = unknown.args
        else:
            if not isinstance(block, LiveExercise) or block.name in exercises:
                continue
            message = f"there is no exercise {block.name}"
            remedy = f"Choose among {', '.join(exercises) or 'none'}, or add it."
        return _at(page, token, message, remedy)
    return None


def without(page: Page, exercises: Collection[str]) -> str:
    """The text of a page without a fault, without its blocks that show one of these exercises."""
    lines = page.text.splitlines(keepends=True)
    for token in _fences(page.text):
        block = _live(token)
        if token.map and isinstance(block, LiveExercise) and block.name in exercises:
            lines[slice(*token.map)] = [""] * (token.map[1] - token.map[0])
    return "".join(lines)


def slip(page: Page) -> Refusal | None:
    """What can be shown and was not meant. Looked for when a course is put in: a room that has one
    with a slip keeps it."""
    if not page.text.strip():
        return Refusal(422, f"{page.path} is empty.", "Write it, or leave it out.", page.path)
    lines = page.text.splitlines()
    for token in _fences(page.text):
        if found := _slip(token, lines):
            return _at(page, token, *found)
    return None


def _slip(token: Token, lines: Sequence[str]) -> tuple[str, str] | None:
    """What is wrong with a block, and the remedy."""
    if not _is_closed(token, lines):
        return "this block has no end", f"End it with a line of {token.markup} alone."
    block = _live(token)
    if block is None and _MEANT.search(token.info):
        return f'"{token.info[:60].strip()}" is no live block', f"{_EXAMPLE} {_EDIT_EXAMPLE}"
    pane = block.pane if isinstance(block, LiveRun | Snippet) else ""
    if pane and pane not in PANES:
        return f'there is no pane "{pane[:20]}"', f"Choose among {', '.join(PANES)}."
    return None


def _is_closed(token: Token, lines: Sequence[str]) -> bool:
    """Without its last line a block goes on to the end of the page."""
    first, end = token.map or (0, 0)
    last = lines[end - 1].strip()
    return end - first > 1 and last.startswith(token.markup) and not last.strip(token.markup[0])


def _at(page: Page, token: Token, message: str, remedy: str) -> Refusal:
    line = token.map[0] + 1 if token.map else 1
    return Refusal(422, f"{page.path}, line {line}: {message}.", remedy, page.path)


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
    fields = _fields(words[1:], _FIELDS, f"{_EXAMPLE} {_EDIT_EXAMPLE}")
    if "exercise" in fields:
        return LiveExercise(fields["exercise"])
    return _run(fields, markdown.line(" ".join(token.content.split())))


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
