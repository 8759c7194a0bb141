"""A program compiled by XLA, ready to be run and timed."""

import time

import jax

from compiler_core.capture.captured import Captured
from compiler_core.interop import arrays
from compiler_core.measure.runnable import Costs, by_jax, device_of
from compiler_core.reference.result import Reference
from compiler_core.reference.xla import several
from compiler_core.reference.xla.bound import Bound, bind
from compiler_core.reference.xla.built import build
from compiler_core.reference.xla.places import Places
from compiler_core.report import Framework


def prepare(captured: Captured, framework: Framework) -> Reference:
    """Compiles the program and runs it once. A program that XLA cannot be given is a Reference with
    the reason and nothing to run. Raises what JAX raises."""
    bound = bind(captured, framework)
    if isinstance(bound, str):
        return Reference("xla", bound)
    if captured.session is not None:
        return several.prepared(captured, bound)
    (whole,) = bound
    return _prepared(captured, framework, whole)


def _prepared(captured: Captured, framework: Framework, bound: Bound) -> Reference:
    begin = time.perf_counter()
    built = build(bound)
    args, kwargs = bound.prepare(captured.arguments)
    jax.block_until_ready(built.compiled(*args, **kwargs))
    first_ms = (time.perf_counter() - begin) * 1e3
    runnable = by_jax(
        bound.prepare,
        lambda given: built.compiled(*given[0], **given[1]),
        Costs(built.traced_ms, built.compiled_ms, first_ms),
        device_of(captured),
        arrays.jax_leaves,
    )
    artifacts = built.artifacts(Places(framework, captured.nodes))
    summary = "jax.jit, compiled ahead of the first call"
    return Reference("xla", summary, runnable, artifacts, built.figures())
