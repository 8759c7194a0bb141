"""The programs of a snippet that calls nothing through torch.compile or jax.jit: those it calls
itself, those whose inputs are given, and those for which a guess succeeds."""

from collections.abc import Sequence
from dataclasses import replace
from types import ModuleType

from compiler_core.errors import NoProgramFound, at_line
from compiler_core.inputs import Arguments, Call, InputSpec
from compiler_core.report import Options
from compiler_core.snippet.execute import absent
from compiler_core.snippet.framework import framework_of
from compiler_core.snippet.given import Given, chosen, given, size_names, statics
from compiler_core.snippet.guess.find import Guess, guess
from compiler_core.snippet.guess.trial import NO_TENSOR, Subject
from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.plain import Plain, plain_programs, roots
from compiler_core.snippet.program import FoundProgram, tensors
from compiler_core.snippet.source import Source
from compiler_core.snippet.tensors import seed

_MOST_GUESSED = 6


def with_given(
    source: Source, module: ModuleType, options: Options, device: str, emit: Emit
) -> list[FoundProgram]:
    """The programs whose inputs the user gave; none if there are no such inputs. Raises
    SnippetError."""
    all_given = given(source, options)
    if not all_given:
        return []
    plains = plain_programs(source, module)
    known = chosen(plains, all_given)
    if len(plains) > 1:
        for plain, each in known:
            if not each.call.name:
                notice(emit, f"the inputs are taken for `{plain.name}`", plain.line)
    drawn = options.seed
    return [_given_program(p, each, source, module, device, emit, drawn) for p, each in known]


def _given_program(
    plain: Plain,
    each: Given,
    source: Source,
    module: ModuleType,
    device: str,
    emit: Emit,
    seed_of_inputs: int | None,
) -> FoundProgram:
    """With constructor arguments that are guessed, where the inputs alone are given."""
    subject = replace(_subject(plain, module, device), seed=seed_of_inputs)
    call = each.call
    if plain.is_class and call.constructor is None:
        found = guess(plain, source, subject, call.inputs)
        call = found.call
        if str(call.constructor):
            notice(emit, found.sentence(), plain.line)
    with at_line(each.line):
        return program(plain, call, subject)


def guessed(source: Source, module: ModuleType, device: str, emit: Emit) -> list[FoundProgram]:
    """Programs that nothing calls, with inputs for which they run: of those that no other one uses;
    if there are none, of the others. Raises NoProgramFound."""
    plains = plain_programs(source, module)
    if not plains:
        raise NoProgramFound(
            "the snippet defines no function and no module to compile",
            remedy="define a function, or call one through torch.compile or jax.jit",
        )
    first = roots(plains)
    guesses = _guesses(first[-_MOST_GUESSED:], source, module, device)
    if all(g.failed for g, _ in guesses):
        others = [p for p in reversed(plains) if p not in first]
        tried = (_guesses([p], source, module, device)[0] for p in others[:_MOST_GUESSED])
        guesses += [next(((g, s) for g, s in tried if not g.failed), guesses[-1])]
    programs = [program(g.plain, g.call, s, str(g.call)) for g, s in guesses if not g.failed]
    if not programs:
        raise _nothing_goes([g for g, _ in guesses], module)
    for found, _ in guesses:
        notice(emit, _refusal(found) if found.failed else found.sentence(), found.plain.line)
    return programs


def _guesses(
    plains: Sequence[Plain], source: Source, module: ModuleType, device: str
) -> list[tuple[Guess, Subject]]:
    subjects = [_subject(plain, module, device) for plain in plains]
    return [(guess(p, source, s), s) for p, s in zip(plains, subjects, strict=True)]


def _subject(plain: Plain, module: ModuleType, device: str) -> Subject:
    framework = framework_of(plain.called, module)
    where = device if framework == "torch" else "cpu"
    return Subject(plain.fn, framework, module, where, plain.method)


def program(plain: Plain, call: Call, subject: Subject, assumed: str = "") -> FoundProgram:
    """The program of a call, with real values. Raises what its constructor raises."""
    seed(subject.framework)
    fn = subject.program(call)
    specs: dict[int, InputSpec] = {}
    args, kwargs = subject.arguments(call.inputs, specs)
    varying = size_names(tensors(subject.framework, args, kwargs), specs)
    is_jax = subject.framework == "jax"
    numbers, names = statics(args, kwargs, plain) if is_jax else ((), ())
    return FoundProgram(
        plain.name, subject.framework, plain.line, fn, args, kwargs, numbers, names,
        sizes=varying, assumed=assumed, written=str(replace(call, name=plain.name)),
    )  # fmt: skip


def _refusal(found: Guess) -> str:
    if found.failed == NO_TENSOR:
        return f"`{found.plain.name}` is not compiled: what {found.call} returns is no tensor"
    return f"no inputs were found for `{found.plain.name}`: {found.why_not()}"


def _nothing_goes(guesses: Sequence[Guess], module: ModuleType) -> NoProgramFound:
    best = guesses[-1]
    if _is_numpys(module):
        return NoProgramFound(
            f"`{best.plain.name}` is written in NumPy, which is not compiled",
            line=best.plain.line,
            remedy="write it for JAX, whose functions have the same names: import jax.numpy as np",
        )
    if best.absent:
        sentence, remedy = absent(best.absent)
        return NoProgramFound(sentence, line=best.line or best.plain.line, remedy=remedy)
    error = NoProgramFound(
        f"nothing calls `{best.plain.name}`, and no inputs were found that go through: "
        f"{best.why_not()}",
        line=best.line or best.plain.line,
        remedy="give the inputs in Inputs or in a comment, for example # inputs: "
        + (str(best.call.inputs or Arguments()) or "f32[32,512]"),
    )
    error.candidates = [g.plain.candidate(str(g.call)) for g in dict.fromkeys(guesses)]
    return error


def _is_numpys(module: ModuleType) -> bool:
    """Whether the snippet names NumPy and neither framework."""
    roots = {
        str(getattr(value, "__module__", None) or getattr(value, "__name__", "")).partition(".")[0]
        for value in vars(module).values()
    }
    return "numpy" in roots and not roots & {"torch", "jax", "jaxlib"}
