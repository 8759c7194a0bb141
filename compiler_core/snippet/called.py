"""The call of a program as the Inputs panel writes it, and the program called as somebody wrote it
there instead."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from compiler_core.inputs import (
    Arguments,
    Call,
    InputsError,
    InputSpec,
    Listed,
    Literal,
    Mapped,
    Named,
    Value,
    calls,
)
from compiler_core.interop.names import framework_name, name_of
from compiler_core.snippet.given import Given, size_names
from compiler_core.snippet.guess.trial import Subject
from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.program import FoundProgram, tensors
from compiler_core.snippet.signature import takes

# The most characters that the options accept.
_LONGEST = 4000
# Types of inputs besides the core's own.
_OF_INPUTS = {"complex64": "c64"}
_PLAIN = (bool, int, float, str, type(None))


class _UnwrittenError(Exception):
    """A value that the panel has no way to write."""


def call_text(program: FoundProgram) -> str:
    """`attend(f32[2,64,256], 8, causal=True)`; "" where the panel could not read it back as the
    same call, as with an argument that is an object without a name in the snippet."""
    if program.written:
        return program.written
    found = tensors(program.framework, program.args, program.kwargs)
    sizes = program.sizes or ((),) * len(found)
    names = {id(x): own for x, own in zip(found, sizes, strict=True)}
    try:
        args = tuple(_written(each, names, program.module) for each in program.args)
        kwargs = ((k, _written(v, names, program.module)) for k, v in program.kwargs.items())
        text = f"{_name(program)}({Arguments(args, tuple(kwargs))})"
        is_read = [str(each) for each in calls(text)] == [text]
    except (_UnwrittenError, InputsError):
        return ""
    return text if is_read and len(text) <= _LONGEST else ""


def _name(program: FoundProgram) -> str:
    """Without the number of a name that another program has too: `f` of `f (2)`."""
    return program.name.partition(" (")[0]


def _written(value: Any, names: Mapping[int, tuple[str, ...]], module: ModuleType | None) -> Value:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        dtype = name_of(value.dtype) or _OF_INPUTS.get(framework_name(value.dtype))
        if dtype is None or getattr(value, "is_nested", False):
            raise _UnwrittenError
        return InputSpec(dtype, tuple(map(int, value.shape)), names.get(id(value), ()))
    if type(value) in _PLAIN:
        return Literal(value)
    if type(value) in (list, tuple):
        items = tuple(_written(each, names, module) for each in value)
        return Listed(items, "[" if type(value) is list else "(")
    if type(value) is dict and all(type(key) in _PLAIN for key in value):
        return Mapped(tuple((Literal(k), _written(v, names, module)) for k, v in value.items()))
    return Named(_named(value, vars(module) if module else {}))


def _named(value: Any, known: Mapping[str, Any]) -> str:
    """The snippet's name of an object: `config`, `torch.float32`."""
    name = next((name for name, each in known.items() if each is value), str(value))
    first, *attributes = name.split(".")
    found = known.get(first)
    for attribute in attributes:
        found = getattr(found, attribute, None)
    if found is not value:
        raise _UnwrittenError
    return name


def with_inputs(
    programs: Sequence[FoundProgram],
    all_given: Sequence[Given],
    module: ModuleType,
    device: str,
    emit: Emit,
    seed: int | None = None,
) -> list[FoundProgram]:
    """The programs that `all_given` name, or, for calls without a name, the last one that takes
    these inputs, called with these; empty unless every call finds a program among `programs`. With
    a `seed` no tensor is the snippet's own. Raises SnippetError for a name among the arguments that
    the snippet does not define."""
    found: list[FoundProgram] = []
    for each in all_given:
        meant = [p for p in programs if _is_meant(p, each.call) and p not in found]
        if not meant:
            return []
        found.append(meant[0] if _head(each.call) else meant[-1])
    pairs = zip(found, all_given, strict=True)
    return [_with(p, each.call.inputs, module, device, emit, seed) for p, each in pairs]


def _head(call: Call) -> str:
    """The name of what is called: `f`, and `grad(loss)` of `grad(loss)(f32[8])`."""
    return call.name if call.constructor is None else f"{call.name}({call.constructor})"


def _is_meant(program: FoundProgram, call: Call) -> bool:
    if head := _head(call):
        return head == _name(program)
    named = [name for name, _ in call.inputs.keywords]
    return takes(program.fn, len(call.inputs.positional), named)


def _with(
    program: FoundProgram,
    inputs: Arguments,
    module: ModuleType,
    device: str,
    emit: Emit,
    seed: int | None,
) -> FoundProgram:
    specs: dict[int, InputSpec] = {}
    where = device if program.framework == "torch" else "cpu"
    subject = Subject(program.fn, program.framework, module, where, seed=seed)
    given = subject.arguments(inputs, specs)
    now = tensors(program.framework, *given)
    varying = size_names(now, specs)
    before = tensors(program.framework, program.args, program.kwargs)
    pairs = list(zip(before, now, strict=False)) if len(before) == len(now) else []
    kept = {id(new): _kept(old, new, specs[id(new)], seed is not None) for old, new in pairs}
    args, kwargs = _tree_map(program, lambda leaf: kept.get(id(leaf), leaf), given)
    changed = len(before) != len(now) or any(_type(old) != _type(new) for old, new in pairs)
    fitting = {n: g for n, g in program.gradients.items() if not changed or g.dim() == 0}
    if len(fitting) < len(program.gradients):
        text = f"`{program.name}` is run without its backward pass: what the snippet gives that"
        notice(emit, f"{text} is of the sizes of its own call", program.backward)
    return replace(
        program, args=args, kwargs=kwargs, sizes=varying, ranges={}, shapes=None, later=(),
        calls=(), calls_left_out=(), recompiled=(), gradients=fitting,
    )  # fmt: skip


def _kept(old: Any, new: Any, spec: InputSpec, anew: bool) -> Any:
    """What stands for the snippet's tensor `old`: itself where nothing else was asked for, as it
    may be indices that others have a range for; else one that takes gradients as it does."""
    if not anew and spec.drawn is None and _type(old) == _type(new):
        return old
    return new.requires_grad_() if getattr(old, "requires_grad", False) else new


def _type(tensor: Any) -> tuple[str | None, tuple[int, ...]]:
    return name_of(tensor.dtype), tuple(tensor.shape)


def _tree_map(program: FoundProgram, change: Any, tree: Any) -> Any:
    if program.framework == "jax":
        return sys.modules["jax"].tree.map(change, tree)
    from compiler_core.interop.private import pytree

    return pytree.tree_map(change, tree)
