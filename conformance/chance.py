"""Numbers that names stand for: the same at every run, and others with another salt."""

import os
from zlib import crc32

# The processes that judge inherit it.
VARIABLE = "CONFORMANCE_SALT"


def salt_with(text: str) -> None:
    """What is drawn from here on, in this process and those that it starts, is drawn anew."""
    os.environ[VARIABLE] = text


def number(name: str) -> int:
    """Of 32 bits."""
    return crc32(f"{name}{os.environ.get(VARIABLE, '')}".encode())
