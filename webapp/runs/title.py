"""A snippet's title for lists and links, found in its first lines without parsing them."""

import re

LONGEST = 80
_SCANNED = 8192
# Of a text that defines more than these.
_NAMED = 3
_DEFINES = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_QUOTES = ('"""', "'''", '"', "'")
_SKIPPED = ("import ", "from ", "#")


def title(source: str) -> str:
    """The docstring's first line, else what it defines, else the first line of meaningful code, all
    of it visible."""
    written = [line for line in source[:_SCANNED].splitlines() if line.strip()]
    code = [line.strip() for line in written if not line.lstrip().startswith("#")]
    text = _documented(code) or _defined(written)
    text = text or next((c for c in code if _is_meaningful(c)), "")
    return visible(text[:LONGEST])[:LONGEST].strip() or "A snippet"


def visible(text: str) -> str:
    """`text` with the numbers of characters in the place of those that are not seen, or that turn
    the direction of others."""
    return "".join(c if c.isprintable() else f"<U+{ord(c):04X}>" for c in text)


def _documented(code: list[str]) -> str:
    """The first line of the text that the code begins with; blank if it begins otherwise."""
    first = code[0].lstrip("rRuU") if code else ""
    quote = next((q for q in _QUOTES if first.startswith(q)), None)
    if quote is None:
        return ""
    begun = first.removeprefix(quote)
    if not begun and len(quote) == 3 and len(code) > 1:
        begun = code[1]
    return begun.partition(quote)[0].strip()


def _defined(lines: list[str]) -> str:
    """The first functions and classes that are nobody's part, by their names."""
    found = (_DEFINES.match(line) for line in lines)
    return ", ".join([match[1] for match in found if match][:_NAMED])


def _is_meaningful(line: str) -> bool:
    return not line.startswith((*_SKIPPED, *_QUOTES))
