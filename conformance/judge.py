"""Whether the compiled program of a sample gives what the framework gives."""

import traceback
from collections.abc import Iterator, Sequence

import torch

from compiler_core.errors import (
    REPORT_IT,
    FuselabError,
    LoweringError,
    ToolchainError,
    VerifyError,
    sentence_of,
)
from compiler_core.measure import numerics
from conformance import framework
from conformance.built import Built, build
from conformance.framework import Own
from conformance.refusal import judge_error
from conformance.sample import Sample
from conformance.verdict import Verdict

_ROUNDINGS = 12
# In which ways a framework's program is rounded otherwise.
_WAYS = {
    "jax": (framework.rounded_otherwise,),
    "torch": (framework.rounded_otherwise, framework.rounded_on_the_way),
}
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
    difference = _off(outputs, eager, numerics.Reference(eager))
    if not difference:
        return ""
    for reference, moved in _references(sample, built, eager):
        if not _off(outputs, eager, reference, moved):
            return ""
    return difference


def _references(
    sample: Sample, built: Built, eager: Sequence[torch.Tensor]
) -> Iterator[tuple[numerics.Reference, list[list[torch.Tensor]]]]:
    """What else the outputs may be near to: eager's with equal elements in another order; the
    program in float64; the same where eager's own error is at least what it changes by where its
    inputs, or what it computes on the way, are rounded otherwise."""
    keys = built.places()
    if keys:
        yield numerics.Reference(eager, keys), []
    try:
        exact = numerics.Reference(built.expected(framework.in_float64(sample)))
        yield exact, []
        moved: list[list[torch.Tensor]] = []
        for way in _WAYS[sample.framework]:
            moved += [built.expected(way(sample, seed)) for seed in range(_ROUNDINGS)]
            yield exact, moved
    except Exception:  # a program that names its types does not run in others
        return


def _off(
    outputs: Sequence[torch.Tensor],
    eager: Sequence[torch.Tensor],
    reference: numerics.Reference,
    moved: Sequence[Sequence[torch.Tensor]] = (),
) -> str:
    """What the check of the report says of the core's outputs."""
    compared = {"eager": eager, "core": outputs}
    found = numerics.check(compared, reference, moved)["core"]
    return "" if found.ok else found.error
