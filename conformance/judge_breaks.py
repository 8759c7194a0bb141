"""Whether a program with graph breaks does, call for call, what Python does with it."""

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import torch

from compiler_core.capture.captured import Session
from compiler_core.errors import sentence_of
from compiler_core.interop.complex_pairs import pack
from compiler_core.report import Options
from compiler_core.snippet.circumstances import set_back
from compiler_core.snippet.execute import as_main
from compiler_core.snippet.run import find_programs
from conformance.breaks.outcome import Outcome, difference, outcome
from conformance.breaks.preamble import CALLS
from conformance.breaks.programs import Broken, module_of
from conformance.built import build
from conformance.judge import judge as judge_one
from conformance.judge import raised
from conformance.sample import BreakSample, Sample
from conformance.verdict import Verdict

_FAULT = "a fault of Fuselab's"
Compile = Callable[[Callable[..., Any]], Callable[..., Any]]


def judge(sample: BreakSample) -> Verdict:
    """By the way that the sample is run."""
    torch._dynamo.reset()
    return _WAYS[sample.way](sample.program)


def outcomes(program: Broken, compiled: Compile) -> list[Outcome]:
    """Of all calls, one after the other, of what a function becomes in a module of its own."""
    module = module_of(program)
    with as_main(module):
        f = compiled(module.f)
        return [_called(module, f, call) for call in range(CALLS)]


def _called(module: Any, f: Callable[..., Any], call: int) -> Outcome:
    args = module.inputs(call)
    gradients = [x for x in args if isinstance(x, torch.Tensor)]
    return outcome(lambda: f(*args), lambda: [args, [x.grad for x in gradients], module.effects()])


def _as_back_end(program: Broken, dynamic: bool | None = None) -> Verdict:
    """`dynamic` as torch.compile takes it: whether sizes and numbers are symbols at once, or where
    a later call brings others."""
    own = outcomes(program, lambda f: f)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            found = outcomes(program, _by("fuselab", dynamic))
        except Exception as error:
            return raised(error)
    off = _first(found, own)
    if off:
        return _wrong_or_torchs(program, own, off, dynamic)
    return _said(said)


def _wrong_or_torchs(
    program: Broken, own: Sequence[Outcome], off: str, dynamic: bool | None
) -> Verdict:
    """What torch's own tracers make of a program, without a compiler, is no doing of the core's."""
    for backend in ("eager", "aot_eager"):
        torch._dynamo.reset()
        try:
            by_torch = _first(outcomes(program, _by(backend, dynamic)), own)
        except Exception as error:
            by_torch = sentence_of(error)
        if by_torch:
            return Verdict("invalid", f"torch's {backend} differs too: {by_torch}")
    return Verdict("wrong", off)


def _by(backend: str, dynamic: bool | None) -> Compile:
    return lambda f: torch.compile(f, backend=backend, dynamic=dynamic)


def _first(found: Sequence[Outcome], own: Sequence[Outcome]) -> str:
    for call, (one, other) in enumerate(zip(found, own, strict=True)):
        off = difference(one, other)
        if off:
            return f"call {call}: {off}"
    return ""


def _said(warned: Sequence[warnings.WarningMessage]) -> Verdict:
    # It imports Triton, which in a process that has it is no interpreter for other parts.
    from compiler_core.api.dynamo_backend import FuselabFallback, FuselabSpecialised

    ours = (FuselabFallback, FuselabSpecialised)
    texts = [str(w.message) for w in warned if issubclass(w.category, ours)]
    if any(_FAULT in text for text in texts):
        return Verdict("fault", next(text for text in texts if _FAULT in text))
    return Verdict("refused", texts[0]) if texts else Verdict("native")


def _explored(program: Broken) -> Verdict:
    """As the snippet that calls it once, then with the tensors of the other calls."""
    text = f"{program.source}\n\ntorch.compile(f)(*inputs(0))\n"
    try:
        found = find_programs(text, Options(), "cpu", lambda event: None).programs[0]
    except Exception as error:
        return raised(error)
    with as_main(found.module), set_back(found.before):
        sample = Sample("f", "torch", found.fn, found.args, found.kwargs)
        try:
            built = build(sample)
            captured = built.compilation.captured
            assert captured is not None and found.module is not None
            if captured.session is None:
                return judge_one(sample)
            return _calls(captured.session, found.module) or _of(built.library_calls())
        except Exception as error:
            return raised(error)


def _of(library_calls: Sequence[str]) -> Verdict:
    return Verdict("library", "; ".join(library_calls)) if library_calls else Verdict("native")


def _calls(session: Session, module: ModuleType) -> Verdict | None:
    """What is wrong with a call; each begins with the state that the snippet had."""
    given = [[x for x in module.inputs(n) if isinstance(x, torch.Tensor)] for n in range(CALLS)]
    like = [x.shape for x in given[0]]
    for call, tensors in enumerate(xs for xs in given if [x.shape for x in xs] == like):
        own = _run(session, session.eager, module, tensors)
        off = difference(_run(session, session.compiled, module, tensors), own)
        if off:
            traced = difference(_run(session, session.by_gradient_tracer, module, tensors), own)
            if traced:
                return Verdict("invalid", f"torch's aot_eager differs too: {traced}")
            return Verdict("wrong", f"call {call}: {off}")
    return None


def _run(
    session: Session, run: Callable[[Any], Any], module: Any, tensors: Sequence[torch.Tensor]
) -> Outcome:
    given = session.prepare([pack(x.detach()) for x in tensors])
    try:
        return outcome(lambda: run(given), lambda: [given, module.effects()])
    finally:
        session.restore()


_WAYS: dict[str, Callable[[Broken], Verdict]] = {
    "torch.compile": _as_back_end, "dynamic": partial(_as_back_end, dynamic=True),
    "explored": _explored,
}  # fmt: skip
