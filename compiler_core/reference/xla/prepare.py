"""A program compiled by XLA, ready to be run and timed."""

import time

import jax

from compiler_core.capture.captured import Captured
from compiler_core.measure.runnable import Costs, by_jax, device_of
from compiler_core.reference.result import Reference
from compiler_core.reference.xla import anew, hlo, stablehlo
from compiler_core.reference.xla.bound import Bound, bind
from compiler_core.reference.xla.figures import figures
from compiler_core.reference.xla.places import Places
from compiler_core.reference.xla.texts import shown
from compiler_core.report import Framework


def prepare(captured: Captured, framework: Framework) -> Reference:
    """Compiles the program and runs it once. A program that XLA cannot be given is a Reference with
    the reason and nothing to run. Raises what JAX raises."""
    bound = bind(captured, framework)
    return (
        Reference("xla", bound) if isinstance(bound, str) else _prepared(captured, framework, bound)
    )


def _prepared(captured: Captured, framework: Framework, bound: Bound) -> Reference:
    begin = time.perf_counter()
    lowered = bound.lower(captured)
    traced = time.perf_counter()
    with bound.tracing(), anew.compiling():
        compiled = lowered.compile()
    finished = time.perf_counter()
    args, kwargs = bound.prepare(captured.arguments)
    jax.block_until_ready(compiled(*args, **kwargs))
    costs = Costs(
        capture_ms=(traced - begin) * 1e3,
        compile_ms=(finished - traced) * 1e3,
        first_call_ms=(time.perf_counter() - begin) * 1e3,
    )
    runnable = by_jax(
        bound.prepare,
        lambda given: compiled(*given[0], **given[1]),
        costs,
        device_of(captured),
        bound.outputs,
    )
    places = Places(framework, captured.nodes)
    module = hlo.parse(compiled.as_text())
    artifacts = (
        stablehlo.shown(lowered.as_text(debug_info=True), places),
        shown("hlo", module, places),
    )
    summary = "jax.jit, compiled ahead of the first call"
    return Reference("xla", summary, runnable, artifacts, figures(compiled, module))
