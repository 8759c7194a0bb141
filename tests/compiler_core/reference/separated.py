"""Samples of which several are in one file."""

from collections.abc import Iterable

_BETWEEN = "\n-----\n"


def joined(texts: Iterable[str]) -> str:
    """The distinct texts as one."""
    return _BETWEEN.join(dict.fromkeys(text.rstrip() for text in texts))


def parts(text: str) -> list[str]:
    """The texts of such a one."""
    return text.rstrip().split(_BETWEEN)
