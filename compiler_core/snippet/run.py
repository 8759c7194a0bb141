"""Finds the programs of a snippet. The first that applies:

1. calls through torch.compile or jax.jit; 2. the convention Model, get_inputs, get_init_inputs; 3.
a plain function or module with inputs from the options or from a comment; 4. otherwise the
functions and modules are listed as candidates, with a guess at their inputs.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from types import ModuleType

from compiler_core.errors import NoProgramFound, SnippetError
from compiler_core.inputs import InputsError, InputSpec, parse
from compiler_core.report import Failure, Options
from compiler_core.snippet import convention
from compiler_core.snippet.execute import execute, new_module, snippet_error
from compiler_core.snippet.framework import framework_of
from compiler_core.snippet.intercept import Interceptor
from compiler_core.snippet.output import Emit, notice, stream
from compiler_core.snippet.plain import Plain, plain_programs
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import Source
from compiler_core.snippet.tensors import jax_arrays, torch_tensors


@dataclass(frozen=True)
class Found:
    """The programs; `error` is the exception that ended the snippet after they were found."""

    programs: tuple[FoundProgram, ...]
    error: Failure | None = None


@dataclass(frozen=True)
class _Inputs:
    """Specs, and the line of the comment that they come from."""

    specs: tuple[InputSpec, ...]
    line: int | None = None


def find_programs(source: str, options: Options, device: str, emit: Emit) -> Found:
    """Runs the snippet on `device` ("cpu" or "cuda") and returns its programs. Raises SnippetError
    if there is nothing to compile."""
    parsed = Source.parse(source)
    inputs = _inputs(parsed, options)
    module = new_module()
    with stream(emit), _on_device(parsed, device, emit), Interceptor(parsed, emit) as interceptor:
        error = execute(parsed, module)
        programs = interceptor.programs()
        if error is None and not programs:
            programs = _uncompiled(parsed, module, inputs, device, emit)
    if programs:
        named = tuple(replace(p, module=module) for p in programs)
        return Found(named, error.failure() if error else None)
    raise error or _nothing(parsed, module, inputs)


def _on_device(source: Source, device: str, emit: Emit) -> AbstractContextManager[None]:
    """Only a snippet that speaks of torch can make torch tensors: its import takes seconds."""
    if "torch" not in source.text:
        return nullcontext()
    from compiler_core.snippet.devices import on_device

    return on_device(device, emit)


def _inputs(source: Source, options: Options) -> list[_Inputs]:
    """From the options; else one from each comment."""
    if options.inputs.strip():
        return [_Inputs(_parse(options.inputs, None))]
    return [_Inputs(_parse(text, line), line) for line, text in source.input_comments if text]


def _parse(text: str, line: int | None) -> tuple[InputSpec, ...]:
    try:
        return parse(text)
    except InputsError as error:
        raise SnippetError(
            f"inputs, column {error.column}: {error.wrong}", line=line, remedy=error.remedy
        ) from None


def _uncompiled(
    source: Source, module: ModuleType, inputs: Sequence[_Inputs], device: str, emit: Emit
) -> list[FoundProgram]:
    try:
        found = convention.program(source, module)
        if found is not None:
            return [found]
        plain = plain_programs(source, module)
        chosen = [(i, _choose(plain, i, alone=len(inputs) == 1)) for i in inputs]
        if len(plain) > 1:
            for _, choice in chosen:
                if choice is not None:
                    notice(emit, f"the inputs are taken for `{choice.name}`", choice.line)
        return [_program(c, i.specs, module, device) for i, c in chosen if c is not None]
    except (SnippetError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise snippet_error(error) from error


def _choose(plain: Sequence[Plain], inputs: _Inputs, alone: bool) -> Plain | None:
    """The last that takes so many; of several comments, each means the next definition."""
    fitting = [p for p in plain if p.takes(len(inputs.specs))]
    if alone or inputs.line is None:
        return fitting[-1] if fitting else None
    return next((p for p in fitting if p.line > inputs.line), None)


def _program(
    plain: Plain, specs: tuple[InputSpec, ...], module: ModuleType, device: str
) -> FoundProgram:
    fn = plain.callable()
    framework = framework_of(fn, module)
    args = torch_tensors(specs, device) if framework == "torch" else jax_arrays(specs)
    names = tuple(spec.names for spec in specs) if any(spec.names for spec in specs) else ()
    return FoundProgram(plain.name, framework, plain.line, fn, args, sizes=names)


def _nothing(source: Source, module: ModuleType, inputs: Sequence[_Inputs]) -> NoProgramFound:
    plain = plain_programs(source, module)
    candidates = [p.candidate() for p in plain]
    if inputs and plain:
        count = len(inputs[0].specs)
        error = NoProgramFound(
            f"no function or module of the snippet takes {count} input{'' if count == 1 else 's'}",
            line=inputs[0].line,
            remedy="give one input for each parameter: "
            + "; ".join(f"{c.name}({', '.join(c.parameters)})" for c in candidates),
        )
    elif plain:
        error = NoProgramFound(
            f"nothing says with what to call {_listed(candidates)}",
            remedy=f"give the inputs, for example in a comment: # inputs: {candidates[-1].inputs}",
        )
    else:
        error = NoProgramFound(
            "the snippet defines no function and no module to compile",
            remedy="define a function, or call one through torch.compile or jax.jit",
        )
    error.candidates = candidates
    return error


def _listed(candidates: Sequence[object]) -> str:
    names = [f"`{getattr(c, 'name', c)}`" for c in candidates]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
