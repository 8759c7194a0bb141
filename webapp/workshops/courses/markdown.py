"""Markdown of a deck to HTML: CommonMark and tables, without HTML of its own and without anything
that would be fetched from elsewhere."""

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

_LOWEST = 6
_DRAWN = "data:image/"
_UNTITLED = "A page"
# What all links and pictures by a name of a page may have of addresses and titles: each has all of
# what the name stands for, and so a page of 64 KiB was 300 MB. Those beyond it are text.
_NAMED = 2**17
# A row of a table that ends early is filled up. Of a table it is done so often: two bytes can be a
# row, and a page of them took seconds.
vars(import_module("markdown_it.rules_block.table"))["MAX_AUTOCOMPLETED_CELLS"] = 1000

# What begins or ends something in a text: how long that takes to be read follows from how many
# there are, and not from how long the text is.
_MARK = re.compile(r"[][!*_`<>|#~&\\\n-]")


class _Named(dict[str, dict[str, Any]]):
    """What names of a page stand for, until that was looked up so much."""

    def __init__(self) -> None:
        self._left = _NAMED

    def get(self, label: str, default: Any = None) -> Any:
        found = super().get(label, default)
        if found:
            self._left -= len(found["href"]) + len(found["title"])
        return found if self._left >= 0 else default


def parsed(text: str) -> list[Token]:
    """The tokens of `text`. Headings are one level lower than they are written, for the page has a
    title of its own; the first takes the focus when its page is opened."""
    tokens = _markdown.parse(text, {"references": _Named()})
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    for token in headings:
        token.tag = f"h{min(int(token.tag[1]) + 1, _LOWEST)}"
    if headings:
        headings[0].attrSet("tabindex", "-1")
    return tokens


def marks(text: str) -> int:
    """How many characters of it Markdown reads as more than text."""
    return sum(1 for _ in _MARK.finditer(text))


def fences(text: str) -> list[Token]:
    """Its fenced blocks that are within no other block."""
    return [each for each in parsed(text) if each.type == "fence" and not each.level]


def html(tokens: Sequence[Token]) -> str:
    """The tokens as HTML."""
    return str(_markdown.renderer.render(tokens, _markdown.options, {}))


def line(text: str) -> str:
    """Text within a line as HTML: what is stressed, code, links."""
    return str(_markdown.renderInline(text))


def title(tokens: Sequence[Token]) -> str:
    """The text of the first heading."""
    at = next((i for i, token in enumerate(tokens) if token.type == "heading_open"), None)
    inline = [] if at is None else tokens[at + 1].children or []
    return "".join(each.content for each in inline).strip() or _UNTITLED


def _image(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A picture that is in the page itself; of one elsewhere its words and the link to it: whoever
    reads a deck is not seen by others."""
    token = tokens[at]
    source = str(token.attrGet("src") or "")
    if source.startswith(_DRAWN):
        return renderer.image(tokens, at, options, env)
    return f'<a href="{escapeHtml(source)}" {_AWAY}>{escapeHtml(token.content or source)}</a>'


def _link(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A link opens beside the workshop and not in its place."""
    tokens[at].attrSet("target", "_blank")
    tokens[at].attrSet("rel", "noopener noreferrer")
    return renderer.renderToken(tokens, at, options, env)


def _fence(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A block that may be wider than its place can be scrolled by keys."""
    return f'<pre tabindex="0"><code>{escapeHtml(tokens[at].content)}</code></pre>\n'


def _cell(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: Any, env: Any) -> str:
    """A cell of a table; where it is aligned a class says so, for the page's policy forbids styles
    in markup."""
    token = tokens[at]
    if style := str(token.attrs.pop("style", "")):
        token.attrSet("class", style.replace("text-align:", "to-"))
    return renderer.renderToken(tokens, at, options, env)


_AWAY = 'target="_blank" rel="noopener noreferrer"'
_RULES = {
    "image": _image,
    "link_open": _link,
    "fence": _fence,
    "code_block": _fence,
    "th_open": _cell,
    "td_open": _cell,
}


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


_markdown = _parser()
