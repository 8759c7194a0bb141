"""Random programs with graph breaks, grown a statement at a time: each is run as it grows."""

import contextlib
import io
import random
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

from conformance.breaks.preamble import CALLS, PREAMBLE, inputs
from conformance.breaks.scope import Scope, indented
from conformance.breaks.statements import STATEMENTS, result

_FIRST = Scope(exact=("x", "y"))
_LONGEST = 8
_TRIES = 24
_LARGEST = 4096.0


@dataclass(frozen=True)
class Broken:
    """A module's text: with `f`, its `inputs(call)` for calls 0, 1 and 2, and its `effects()`."""

    source: str

    @property
    def function(self) -> str:
        """The text of `f` and of what it is called with."""
        return self.source.removeprefix(PREAMBLE).strip()


def grown(rng: random.Random, kind: str) -> Broken | None:
    """A program with a statement of a kind in it; None where none came about."""
    given, lines, scope = inputs(rng), list[str](), _FIRST
    length = rng.randint(1, _LONGEST)
    at, met = rng.randrange(length), False
    for step in range(_TRIES):
        if len(lines) and met and step >= length:
            break
        wanted = kind if not met and step >= at else rng.choice(sorted(STATEMENTS))
        more, behind = _tried(rng, wanted, given, lines, scope)
        if more:
            met = met or wanted == kind
            lines, scope = [*lines, *more], behind
    if not met:
        return None
    program = _written(given, [*lines, f"return {result(rng, scope)}"])
    return program if runs(program) else None


def _tried(
    rng: random.Random, kind: str, given: str, lines: Sequence[str], scope: Scope
) -> tuple[Sequence[str], Scope]:
    """The lines of one more statement and the scope behind it; none where they do not run."""
    try:
        more, behind = STATEMENTS[kind](rng, scope)
    except IndexError:
        return [], scope
    shown = ", ".join(behind.exact)
    tried = _written(given, [*lines, *more, f"return [{shown}]"])
    return (more, behind) if runs(tried) else ([], scope)


def _written(given: str, lines: Sequence[str]) -> Broken:
    body = "\n".join(indented(lines))
    return Broken(f"{PREAMBLE}{given}\n\ndef f(x, y, k):\n{body}\n")


def module_of(program: Broken, file: str = "<broken>") -> ModuleType:
    """A new module in which the text was run."""
    module = ModuleType("__main__")
    exec(compile(program.source, file, "exec"), module.__dict__)
    return module


def runs(program: Broken) -> bool:
    """Whether all calls run, one after the other, and what they give is exact as far as it is
    whole eighths."""
    try:
        module = module_of(program)
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(action="ignore"):
            return all(_is_small(module.f(*module.inputs(call))) for call in range(CALLS))
    except Exception:  # it does not fit these values
        return False


def _is_small(found: Any) -> bool:
    leaves = torch.utils._pytree.tree_leaves(found)
    tensors = [x.detach().double() for x in leaves if isinstance(x, torch.Tensor)]
    return all(bool((x.abs() <= _LARGEST).all()) and x.numel() <= _LARGEST for x in tensors)
