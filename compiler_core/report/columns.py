"""Numbers and tables as a person reads them on the command line."""

from collections.abc import Iterator, Sequence


def size(count: int) -> str:
    """Bytes, in the largest unit that leaves one before the point."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 2**power:
            return f"{count / 2**power:.2f} {unit}"
    return f"{count} B"


def error(value: float | None) -> str:
    """An error of the numerics; None is one that is no number."""
    return "not finite" if value is None else f"{value:.3g}"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as their widest cell; nothing where there are no rows."""
    if not rows:
        return
    widths = [max(len(r[i]) for r in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        yield "  " + "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
