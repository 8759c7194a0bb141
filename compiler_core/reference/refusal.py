"""The messages of compilers that refuse a program, in plain words. The table of a compiler in
another process is `REFUSALS` in its refusals.py. A message without a row is shown by its first
line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec


@dataclass(frozen=True)
class Refusal:
    """Why a compiler refuses the program, in one sentence, and what to do; `{named}` stands for
    what its message names."""

    why: str
    remedy: str


# The words for what a compiler's message says.
Table = Sequence[tuple[re.Pattern[str], Refusal]]

# The remedy for an operation that only one compiler has no rule for.
ELSEWHERE = "leave it to another compiler, or compute it by operations that all of them have"
# How torch spells an overload: "scatter_add.default".
_OVERLOAD = re.compile(r"'(\w+)(?:\.(?:default|Tensor|Scalar))?(\.\w+)?'")


def refusal(compiler: str, message: str) -> Refusal | None:
    """The words for a compiler's message; None where there are none for it."""
    return in_words(_table(compiler), message)


def in_words(table: Table, message: str, nameless: str = "") -> Refusal | None:
    """Those of the first row that the message is of; None where it is of none. `nameless` stands
    for what the message leaves without a name."""
    for pattern, words in table:
        if found := pattern.search(message):
            named = _OVERLOAD.sub(r"\1\2", found.groupdict().get("named") or nameless)
            return Refusal(words.why.replace("{named}", named), words.remedy)
    return None


def _table(compiler: str) -> Table:
    name = f"compiler_core.reference.{compiler}.refusals"
    if find_spec(name) is None:
        return ()
    table: Table = import_module(name).REFUSALS
    return table
