"""What goes wrong while a JAX program is traced, as one sentence with the snippet's line."""

import re

import jax

from compiler_core.errors import CaptureError, FuselabError
from compiler_core.report import GraphBreak
from compiler_core.snippet.remedies import remedy_of
from compiler_core.snippet.source import line_of
from compiler_core.snippet.traces import cut_traceback

_REMEDIES: tuple[tuple[type[Exception], str], ...] = (
    (
        jax.errors.TracerBoolConversionError,
        "choose with jnp.where or jax.lax.cond, or make the argument static",
    ),
    (
        jax.errors.ConcretizationTypeError,
        "keep the value an array, or make the argument that it comes from static",
    ),
    (jax.errors.TracerArrayConversionError, "use jax.numpy instead of numpy on traced arrays"),
    (jax.errors.TracerIntegerConversionError, "make the argument static, or index with jnp.take"),
    (
        jax.errors.NonConcreteBooleanIndexError,
        "choose with jnp.where: a result's shape must not depend on data",
    ),
)
_NO_ARRAY = re.compile(
    r"Error interpreting argument to .*? The problematic value is of type <class '([\w.]+)'> "
    r"and was passed to the function at path (?:args\[(\d+)\]|kwargs\['(\w+)'\])(.*)"
)
_STATIC = (
    "make the argument static: jax.jit(..., static_argnames=...); or its class a pytree, as "
    "jax.tree_util.register_dataclass does"
)
_ALONE = "correct the program so that JAX runs it by itself"


def capture_error(error: Exception) -> FuselabError:
    """What went wrong while JAX traced the program, with the user's line and what to do about
    it."""
    if isinstance(error, FuselabError):
        return error
    untraced = _NO_ARRAY.match(str(error))
    if untraced is not None:
        return CaptureError(_not_traced(untraced), remedy=_STATIC)
    line, trace = line_of(error), cut_traceback(error)
    remedy = next((text for kind, text in _REMEDIES if isinstance(error, kind)), "")
    known = remedy or remedy_of(error) or _ALONE
    message = (str(error).strip().splitlines() or [""])[0]
    refused = CaptureError(
        f"{type(error).__name__}: {message}".rstrip(": "), line=line, remedy=known, traceback=trace
    )
    if remedy:
        refused.graph_breaks = [GraphBreak(message, line)]
    return refused


def _not_traced(found: re.Match[str]) -> str:
    kind, position, name, rest = found.groups()
    which = f"argument {int(position) + 1}" if position else f"argument `{name}`"
    part = "" if rest.strip() in ("", ".") else "a part of "
    return f"{part}{which} is of type {kind}, which JAX cannot trace"
