"""A snippet's title for lists and links, found in its first lines without parsing them."""

LONGEST = 80
_SCANNED = 8192
_QUOTES = ('"""', "'''", '"', "'")
_SKIPPED = ("import ", "from ", "#")


def title(source: str) -> str:
    """The docstring's first line, else the first line of meaningful code, all of it visible."""
    lines = [line.strip() for line in source[:_SCANNED].splitlines() if line.strip()]
    code = [line for line in lines if not line.startswith("#")]
    text = _documented(code) or next((c for c in code if _is_meaningful(c)), "")
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


def _is_meaningful(line: str) -> bool:
    return not line.startswith((*_SKIPPED, *_QUOTES))
