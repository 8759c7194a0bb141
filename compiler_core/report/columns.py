"""Numbers and tables formatted for the command line."""

from collections.abc import Iterator, Sequence


def size(count: int) -> str:
    """A number of bytes in the largest unit of which it has at least one: "1.50 MiB"."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 2**power:
            return f"{count / 2**power:.2f} {unit}"
    return f"{count} B"


def error(value: float | None) -> str:
    """An error as text; None stands for one that is not finite."""
    return "not finite" if value is None else f"{value:.3g}"


# A larger error was divided by the smallest number: the exact result is 0, and there is no relative
# error.
_OF_NOTHING = 1e200


def relative_error(value: float | None) -> str:
    """An error relative to the exact result, as text: "exact is 0" where that has no relative
    error."""
    return "exact is 0" if value is not None and value > _OF_NOTHING else error(value)


def times(count: int) -> str:
    """The clause " (3 times)" for something that is listed once; "" if it occurs once."""
    return f" ({count} times)" if count > 1 else ""


def speedup(value: float | None) -> str:
    """A ratio of times as text, "1.25x"; "" if it is not known."""
    return "" if value is None else f"{value:.2f}x"


# A longer cell is a sentence, which does not widen the column for other rows.
_WIDEST = 40


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, its columns as wide as their widest cells of at most _WIDEST
    characters: a longer one moves what is behind it in its own row alone. None if there are no
    rows."""
    if not rows:
        return
    lengths = ([len(r[i]) for r in (head, *rows)] for i in range(len(head)))
    widths = [max((n for n in column if n <= _WIDEST), default=0) for column in lengths]
    for row in (head, *rows):
        yield "  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
