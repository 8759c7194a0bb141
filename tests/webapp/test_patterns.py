"""No pattern that is looked for in strangers' texts takes longer than the text is long: one that
goes back and forth holds up the whole process, for Python does nothing else meanwhile."""

import pkgutil
import re
import time
from collections.abc import Iterator
from importlib import import_module
from inspect import getsource
from itertools import product
from types import ModuleType

import pytest

import compiler_core.inputs
import compiler_core.report
import webapp
import worker.sandbox

# Where texts of strangers are read outside of the sandbox.
ROOMS: tuple[ModuleType, ...] = (webapp, worker.sandbox, compiler_core.inputs, compiler_core.report)
# Of programs and of what runs inside; migrations have none.
_NOT_IMPORTED = re.compile(r"__main__|\.migrations|\.inside|\.celery|webapp\.asgi")
_UNITS = (" ", "\n", "\t", "a", "0", "x ", "\\", '"', "#\n", "a.", "é")
# A pattern that is at once done with so much is not looked at longer.
_SHORT, _TIMES, _QUICK_S = 1_000, 4, 0.0005
# Four times as much takes four times as long, and sixteen where each sign is looked at from each.
_MOST = 9


def patterns() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """All patterns that modules of these rooms have, by their names, of bytes as of texts; and how
    each is looked for."""
    for room in ROOMS:
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            if _NOT_IMPORTED.search(found.name):
                continue
            module = import_module(found.name)
            for name, value in vars(module).items():
                if isinstance(value, re.Pattern):
                    text = value.pattern
                    whole = text.decode("latin-1") if isinstance(text, bytes) else text
                    how = re.search(rf"\b{name}\.(match|fullmatch)\(", getsource(module))
                    yield (
                        f"{found.name}.{name}",
                        re.compile(whole, value.flags),
                        how[1] if how else "search",
                    )


def hostile(pattern: str, length: int) -> Iterator[str]:
    """Texts made of what the pattern itself has, with something repeated in the middle."""
    written = re.sub(r"\\.", " ", re.sub(r"\\s[*+]", "", pattern))
    words = {"", *re.findall(r"[A-Za-z0-9/:;=~]{2,}|[{}@%`]", written)}
    for begins, unit, ends in product(
        sorted(words), (*_UNITS, *sorted(words - {""})), sorted(words)
    ):
        yield begins + unit * (length // len(unit)) + ends + "!"
        yield begins + unit * (length // len(unit)) + ends


def seconds(pattern: re.Pattern[str], text: str, how: str) -> float:
    began = time.thread_time()
    getattr(pattern, how)(text)
    return time.thread_time() - began


@pytest.mark.parametrize(
    ("pattern", "how"), [pytest.param(*found, id=name) for name, *found in patterns()]
)
def test_a_pattern_takes_no_longer_than_the_text_is_long(
    pattern: re.Pattern[str], how: str
) -> None:
    for text, longer in zip(
        hostile(pattern.pattern, _SHORT), hostile(pattern.pattern, _TIMES * _SHORT), strict=True
    ):
        if seconds(pattern, text, how) > _QUICK_S:
            least = min(seconds(pattern, text, how) for _ in range(3))
            assert seconds(pattern, longer, how) < _MOST * least, repr(text[:20])
