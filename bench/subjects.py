"""What a suite measures: a snippet, and the inputs of what it does not call.

A program of `bench/programs/FAMILY/` begins with the inputs of its three sizes, and with the dtypes
that it is measured in where they are not both:

    # small: f32[128,128], f32[128]
    # medium: f32[1024,1024], f32[1024]
    # large: f32[4096,4096], f32[4096]
    # dtypes: f32
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SIZES = ("small", "medium", "large")
DTYPES = ("f32", "bf16")
_HEADER = re.compile(r"# (\w+): (.+)")


@dataclass(frozen=True)
class Subject:
    """A snippet; `inputs` as the options have them, blank where it calls its program itself."""

    file: Path
    name: str
    family: str = ""
    inputs: str = ""


def plain(file: Path) -> Subject:
    """A snippet that calls its program."""
    return Subject(file, file.stem)


def sized(file: Path) -> Iterator[Subject]:
    """A program of a family in its sizes and dtypes, named "NAME-medium-bf16". Raises KeyError
    where its first lines lack a size."""
    lines = (_HEADER.fullmatch(line) for line in file.read_text().splitlines())
    header = {found[1]: found[2] for found in lines if found}
    for dtype in header.get("dtypes", " ".join(DTYPES)).split():
        for size in SIZES:
            inputs = header[size].replace("f32[", f"{dtype}[")
            yield Subject(file, f"{file.stem}-{size}-{dtype}", file.parent.name, inputs)
