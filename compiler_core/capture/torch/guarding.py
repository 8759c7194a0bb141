"""What torch is asked of sizes once a graph is complete, where no answer may depend on a symbol."""

import contextlib
import logging
import re
from collections.abc import Iterator
from typing import Any

import torch

from compiler_core.ir.sizes import Undecided

# torch's message where it refuses to guard, with the question in it.
_QUESTION = re.compile(r"are frozen: (.*) == (?:True|False|-?\d+)$")
_RELATION = re.compile(r"(Eq|Ne)\((.+), (.+)\)")
_IS = {"Eq": "is", "Ne": "is other than"}
_LOG = logging.getLogger("torch.fx.experimental.symbolic_shapes")


@contextlib.contextmanager
def nothing_guarded(module: Any) -> Iterator[None]:
    """Within the context, a question to torch whose answer depends on a symbol raises Undecided:
    torch would answer for the sizes of this call, and the result would be wrong for others."""
    environment = _environment(module)
    if environment is None:
        yield
        return
    guard = getattr(environment, "error_on_new_guards", None)
    before = len(environment.guards)
    try:
        with guard() if guard else contextlib.nullcontext(), _unlogged():
            yield
    except RuntimeError as error:
        if type(error).__name__ != "_ShapeEnvGuardError":
            raise
        raise Undecided(question_of(str(error))) from error
    if len(environment.guards) != before or (guard is None and environment.frozen):
        raise Undecided("torch has asked for the value of a size")


@contextlib.contextmanager
def _unlogged() -> Iterator[None]:
    """Within the context, torch does not log what it raises as well."""
    before, _LOG.disabled = _LOG.disabled, True
    try:
        yield
    finally:
        _LOG.disabled = before


def question_of(text: str) -> str:
    """What torch asks of a size, by the text of its refusal to guard: `Eq(s62, 0) == False`."""
    question = _QUESTION.search(text)
    if question is None:
        return "torch has asked for the value of a size"
    said = _RELATION.sub(lambda r: f"{r[2]} {_IS[r[1]]} {r[3]}", question[1])
    named = re.sub(r"\b[su](?=\d)", lambda symbol: symbol[0].upper(), said)
    return f"torch asks whether {named}, and goes on by the answer"


def _environment(module: Any) -> Any:
    """What torch knows of the symbols of a graph; None for a graph without."""
    for node in module.graph.nodes:
        value = node.meta.get("val")
        for part in (*value.shape, *value.stride()) if isinstance(value, torch.Tensor) else [value]:
            if isinstance(part, torch.SymInt):
                return part.node.shape_env
    return None
