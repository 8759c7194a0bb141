"""Whether the compiled program of a sample gives what the framework gives."""

import traceback
from collections.abc import Iterator, Mapping, Sequence

import torch

from compiler_core import report
from compiler_core.errors import (
    REPORT_IT,
    FuselabError,
    LoweringError,
    ToolchainError,
    VerifyError,
    sentence_of,
)
from compiler_core.measure import numerics, rounding
from conformance import framework
from conformance.built import Built, build
from conformance.framework import Own
from conformance.refusal import judge_error
from conformance.sample import Sample
from conformance.verdict import Verdict

_OUR_FAULTS = (VerifyError, LoweringError, ToolchainError)


def judge(sample: Sample) -> Verdict:
    """Runs the sample by its framework and by the core, and compares."""
    if sample.framework == "jax":
        import jax

        with jax.enable_x64(sample.wide):
            return _judge(sample)
    return _judge(sample)


def _judge(sample: Sample) -> Verdict:
    if sample.raises:
        return judge_error(sample)
    try:
        own = framework.run(sample)
    except Exception as error:
        return Verdict("invalid", sentence_of(error))
    try:
        built = build(sample)
        outputs = built.run()
    except Exception as error:
        return raised(error)
    off = _difference(sample, built, own, outputs)
    if off:
        return Verdict("wrong", off)
    if built.in_python():
        return Verdict("library", "runs in Python: no part of it became a graph")
    calls = built.library_calls()
    return Verdict("library", "; ".join(calls)) if calls else Verdict("native")


def raised(error: Exception) -> Verdict:
    """A refusal has a reason of the program's own; any other exception is a fault of ours."""
    refusal = isinstance(error, FuselabError) and not isinstance(error, _OUR_FAULTS)
    if refusal and getattr(error, "remedy", "") != REPORT_IT:
        return Verdict("refused", sentence_of(error).partition(": ")[2])
    return Verdict("fault", f"{sentence_of(error)} [{_place(error)}]")


def _place(error: BaseException) -> str:
    """Where in the core it was raised."""
    cause = error.__cause__ or error
    frames = traceback.extract_tb(cause.__traceback__)
    ours = [f for f in frames if "compiler_core" in f.filename]
    if not ours:
        return "outside of the core"
    last = ours[-1]
    return f"{last.filename.partition('compiler_core/')[2]}:{last.name}"


def _difference(sample: Sample, built: Built, own: Own, outputs: Sequence[torch.Tensor]) -> str:
    """How the core's outputs are not the framework's; "" where they are."""
    eager = built.expected(own)
    if sample.only_types:
        outputs, eager = [torch.zeros_like(x) for x in outputs], list(map(torch.zeros_like, eager))
    compared = {"eager": eager, "core": outputs}
    difference = _off(numerics.check(compared, numerics.Reference(eager)))
    right = not difference or any(not _off(each) for each in _asked(sample, built, compared))
    return "" if right else difference


def _asked(
    sample: Sample, built: Built, compared: Mapping[str, Sequence[torch.Tensor]]
) -> Iterator[Mapping[str, report.Numerics]]:
    """What else the outputs may be near to: eager's with equal elements in another order; the
    program in float64; the same by the report's own rules of rounding (rounding.py)."""
    keys = built.places()
    if keys:
        yield numerics.check(compared, numerics.Reference(compared["eager"], keys))
    drawn = framework.drawn(sample)
    modes = (False, True) if sample.framework == "jax" or built.by_operations() else (False,)
    for mode in modes:
        try:
            exact = numerics.Reference(built.expected(framework.in_float64(sample, mode, drawn)))
            yield numerics.check(compared, exact)
            yield _of_rounding(sample, built, compared, exact)
        except Exception:  # a program that names its types may not run in others
            continue


def _of_rounding(
    sample: Sample,
    built: Built,
    compared: Mapping[str, Sequence[torch.Tensor]],
    exact: numerics.Reference,
) -> Mapping[str, report.Numerics]:
    def by_inputs(unit: float) -> rounding.Way:
        return lambda seed: built.expected(framework.rounded_otherwise(sample, seed, unit))

    def on_the_way(seed: int) -> Sequence[torch.Tensor]:
        return built.expected(framework.rounded_on_the_way(sample, seed))

    way = on_the_way if built.by_operations() else None
    return rounding.check_by_ways(compared, exact, by_inputs, built.coarsest_unit(), way)


def _off(found: Mapping[str, report.Numerics]) -> str:
    """What a check says of the core's outputs; "" where they are right."""
    return "" if found["core"].ok else found["core"].error
