"""What goes wrong while a JAX program is traced, as one sentence with the snippet's line."""

import re
from typing import NamedTuple

import jax

from compiler_core.errors import CaptureError, FuselabError, first_line
from compiler_core.report import GraphBreak
from compiler_core.snippet.remedies import STATIC, remedy_of
from compiler_core.snippet.source import line_of
from compiler_core.snippet.traces import cut_traceback


class _Refusal(NamedTuple):
    """An exception of JAX's, why it is raised in plain words, and what to do; of a kind that is
    raised for much else as well, `says` is found in its message."""

    kind: type[Exception]
    why: str
    remedy: str
    says: re.Pattern[str] = re.compile("")

    def is_of(self, error: Exception) -> bool:
        return isinstance(error, self.kind) and self.says.search(str(error)) is not None


_NO_VALUE = "while JAX traces, an array has a shape and a type, and no value that Python could "
_REFUSALS = (
    _Refusal(
        jax.errors.TracerBoolConversionError,
        f"{_NO_VALUE}choose by",
        "choose with jnp.where or jax.lax.cond, loop with jax.lax.while_loop, or make the argument "
        "static",
    ),
    _Refusal(
        jax.errors.TracerArrayConversionError,
        f"{_NO_VALUE}give to numpy",
        "use jax.numpy instead of numpy on traced arrays",
    ),
    _Refusal(
        jax.errors.TracerIntegerConversionError,
        f"{_NO_VALUE}count or index by",
        "make the argument static, or index with jnp.take",
    ),
    _Refusal(
        jax.errors.NonConcreteBooleanIndexError,
        "the shape of the result would depend on values, which there are none of while JAX traces",
        "choose with jnp.where: a result's shape must not depend on data",
    ),
    _Refusal(
        jax.errors.ConcretizationTypeError,
        f"{_NO_VALUE}make a number of",
        "keep the value an array, or make the argument that it comes from static",
    ),
    _Refusal(
        TypeError,
        f"{_NO_VALUE}make a shape of",
        "make the argument that the size comes from static: jax.jit(..., static_argnames=...)",
        re.compile(r"^Shapes must be 1D sequences of concrete values.*Trace"),
    ),
    _Refusal(
        IndexError,
        f"{_NO_VALUE}cut a slice by",
        "use jax.lax.dynamic_slice, whose size is a number, or make the argument static",
        re.compile(r"^(?:Array slice indices|Slice entries) must (?:have|be) static.*Trace"),
    ),
)
_NO_ARRAY = re.compile(
    r"Error interpreting argument to .*? The problematic value is of type <class '([\w.]+)'> "
    r"and was passed to the function at path (?:args\[(\d+)\]|kwargs\['(\w+)'\])(.*)"
)
# The place of our own function through which JAX is given a program.
_OURS = re.compile(r" at \S*/compiler_core/\S+\.py:\d+")
_ALONE = "correct the program so that JAX runs it by itself"


def capture_error(error: Exception) -> FuselabError:
    """What went wrong while JAX traced the program, with the user's line and what to do about
    it."""
    if isinstance(error, FuselabError):
        return error
    untraced = _NO_ARRAY.match(str(error))
    if untraced is not None:
        return CaptureError(_not_traced(untraced), remedy=STATIC)
    line, trace = line_of(error), cut_traceback(error)
    refusal = next((each for each in _REFUSALS if each.is_of(error)), None)
    remedy = (refusal.remedy if refusal else remedy_of(error)) or _ALONE
    message = first_line(_OURS.sub("", str(error)))
    said = f"{type(error).__name__}: {message}".rstrip(": ")
    why = f"{said.rstrip('.')}: {refusal.why}" if refusal else said
    refused = CaptureError(why, line=line, remedy=remedy, traceback=trace)
    if refusal:
        refused.graph_breaks = [GraphBreak(message, line, remedy)]
    return refused


def _not_traced(found: re.Match[str]) -> str:
    kind, position, name, rest = found.groups()
    which = f"argument {int(position) + 1}" if position else f"argument `{name}`"
    part = "" if rest.strip() in ("", ".") else "a part of "
    return f"{part}{which} is of type {kind}, which JAX cannot trace"
