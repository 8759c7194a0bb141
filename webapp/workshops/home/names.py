"""Names that are safe in a zip, and cells that are safe in a spreadsheet, whatever people wrote."""

import re

from webapp.workshops.models import Seat

_NOT_OF_FILES = re.compile(r"[^A-Za-z0-9]+")
_LONGEST = 40
# What spreadsheets take for the beginning of a formula.
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def of_file(number: int, text: str) -> str:
    """ "007-softmax-over-rows": unlike any other by its number."""
    words = _NOT_OF_FILES.sub("-", text)[:_LONGEST].strip("-").lower()
    return f"{number:03}-{words}" if words else f"{number:03}"


def left(seat: Seat) -> str:
    """Whether its person has left, as a cell of the column of that name."""
    return "yes" if seat.left else ""


def of_cell(text: str) -> str:
    """`text` as text, and never a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text
