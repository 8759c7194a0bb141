"""Sentences with numbers in them."""

from collections.abc import Iterable

# The most lines that a sentence names.
_MOST_LINES = 6


def counted(count: int, noun: str) -> str:
    """The number with its noun, in the plural unless it is one: "1 kernel", "3 launches"."""
    plural = f"{noun}es" if noun.endswith(("ch", "s")) else f"{noun}s"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        plural = f"{noun[:-1]}ies"
    return f"{count} {noun if count == 1 else plural}"


def in_lines(lines: Iterable[int | None]) -> str:
    """The lines as the end of a clause: " in line 3", " in lines 3, 8 and 9"; more than six end in
    "and others"; "" if there are none."""
    found = sorted({line for line in lines if line})
    if not found:
        return ""
    if len(found) == 1:
        return f" in line {found[0]}"
    shown = [*map(str, found[:_MOST_LINES]), *(["others"] if len(found) > _MOST_LINES else [])]
    return f" in lines {', '.join(shown[:-1])} and {shown[-1]}"
