"""The messages of compilers in other processes that refuse a program, in plain words: the table is
`REFUSALS` in a compiler's refusals.py. A message without a row is shown by its first line."""

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


# The remedy for an operation that only one compiler has no rule for.
ELSEWHERE = "leave it to another compiler, or compute it by operations that all of them have"
# How torch spells an overload: "scatter_add.default".
_OVERLOAD = re.compile(r"'(\w+)(?:\.(?:default|Tensor|Scalar))?(\.\w+)?'")


def refusal(compiler: str, message: str) -> Refusal | None:
    """The words for a compiler's message; None where there are none for it."""
    for pattern, words in _table(compiler):
        if found := pattern.search(message):
            named = _OVERLOAD.sub(r"\1\2", found.groupdict().get("named", ""))
            return Refusal(words.why.replace("{named}", named), words.remedy)
    return None


def _table(compiler: str) -> Sequence[tuple[re.Pattern[str], Refusal]]:
    name = f"compiler_core.reference.{compiler}.refusals"
    if find_spec(name) is None:
        return ()
    table: Sequence[tuple[re.Pattern[str], Refusal]] = import_module(name).REFUSALS
    return table
