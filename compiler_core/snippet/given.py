"""Programs whose inputs the user gave, in the options or in comments of the snippet."""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from compiler_core.errors import NoProgramFound, SnippetError
from compiler_core.inputs import BYTES, Call, InputsError, InputSpec, calls
from compiler_core.report import Options
from compiler_core.snippet.plain import Plain
from compiler_core.snippet.source import Source
from compiler_core.snippet.specs import is_array
from compiler_core.snippet.varying import Sizes

_STATIC = (bool, int, float, str, type(None))
# Tells a list of inputs from a comment that speaks of inputs in words.
_SPEC = re.compile(rf"\b({'|'.join(BYTES)})\s*\[")


@dataclass(frozen=True)
class Given:
    """One call, and the line of the comment that it comes from; None if it comes from the
    options."""

    call: Call
    line: int | None = None


def given(source: Source, options: Options) -> list[Given]:
    """The calls in the options, else those in comments. Raises SnippetError for a text that cannot
    be parsed."""
    if options.inputs.strip():
        return [Given(call) for call in _read(options.inputs, None)]
    comments = [(line, text) for line, text in source.input_comments if _SPEC.search(text)]
    return [Given(call, line) for line, text in comments for call in _read(text, line)]


def _read(text: str, line: int | None) -> tuple[Call, ...]:
    try:
        return calls(text)
    except InputsError as error:
        raise SnippetError(
            f"inputs, column {error.column}: {error.wrong}", line=line, remedy=error.remedy
        ) from None


def chosen(plains: Sequence[Plain], all_given: Sequence[Given]) -> list[tuple[Plain, Given]]:
    """Each call with the function that it calls: the one of its name, else the last one that takes
    that number of inputs; a comment among several refers to the next definition. Raises
    NoProgramFound if no call has one."""
    found = [(_meant(plains, each, len(all_given) == 1), each) for each in all_given]
    known = [(plain, each) for plain, each in found if plain is not None]
    if not known:
        raise _nothing_takes(plains, all_given[0])
    return known


def _meant(plains: Sequence[Plain], each: Given, alone: bool) -> Plain | None:
    if each.call.name:
        return next((p for p in plains if p.name == each.call.name), None)
    inputs = each.call.inputs
    named = [name for name, _ in inputs.keywords]
    fitting = [p for p in plains if p.takes(len(inputs.positional), named)]
    if alone or each.line is None:
        return max(fitting, key=lambda p: (not p.is_method, p.line), default=None)
    return next((p for p in fitting if p.line > each.line), None)


def _nothing_takes(plains: Sequence[Plain], each: Given) -> NoProgramFound:
    count, name = len(each.call.inputs.positional), each.call.name
    what = (
        f"the snippet has no function or module `{name}`"
        if name
        else f"no function or module of the snippet takes {count} input{'' if count == 1 else 's'}"
    )
    candidates = [plain.candidate() for plain in plains]
    listed = "; ".join(f"{c.name}({', '.join(c.parameters)})" for c in candidates)
    remedy = "define a function, or call one through torch.compile or jax.jit"
    if candidates:
        remedy = f"give one input for each parameter: {listed}"
    error = NoProgramFound(what, line=each.line, remedy=remedy)
    error.candidates = candidates
    return error


def size_names(tensors: Sequence[Any], specs: Mapping[int, InputSpec]) -> Sizes:
    """For each tensor, the names of its dimensions that vary; () if none does. `specs` are by the
    ids of the values built from them. Raises SnippetError for a size that varies in none of these
    tensors, such as one within an object."""
    found = tuple(specs[id(x)].names if id(x) in specs else () for x in tensors)
    wanted = {name for spec in specs.values() for name in spec.names if name}
    lost = sorted(wanted - {name for names in found for name in names})
    if lost:
        raise SnippetError(
            f"the size {lost[0]} cannot vary: no tensor among the arguments has it",
            remedy="give the tensor as an argument of its own, or its size as a number",
        )
    return found if wanted else ()


def statics(
    args: tuple[Any, ...], kwargs: dict[str, Any], plain: Plain
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """The positions and the names of arguments that jax.jit is told not to trace: those that the
    snippet declares static, Python's numbers, strings and None, and, for a function that the
    snippet has not compiled itself, objects such as a dataclass that is no pytree."""

    def is_static(name: str, x: Any) -> bool:
        by_kind = isinstance(x, _STATIC) or (not plain.compiled and _is_object(x))
        return by_kind or name in plain.static

    named = zip_longest(plain.parameters, args)
    numbers = tuple(i for i, (name, x) in enumerate(named) if i < len(args) and is_static(name, x))
    return numbers, tuple(name for name, x in kwargs.items() if is_static(name, x))


def _is_object(value: Any) -> bool:
    """Whether it is of a class that JAX does not know."""
    leaves = sys.modules["jax"].tree.leaves(value)
    return len(leaves) == 1 and leaves[0] is value and not is_array(value)
