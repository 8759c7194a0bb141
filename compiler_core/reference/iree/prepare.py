"""A program through IREE, ready to be run and timed."""

import time

from compiler_core.capture.captured import Captured
from compiler_core.extras.program import Remote
from compiler_core.extras.session import COMPILE_S, Session
from compiler_core.measure.runnable import Costs, device_of
from compiler_core.reference.another_process import TIMED_THERE, runnable
from compiler_core.reference.iree.process import NAME, start, written
from compiler_core.reference.result import Reference
from compiler_core.reference.xla.given import Given, given
from compiler_core.report import Framework


def prepare(captured: Captured, framework: Framework) -> Reference:
    """Compiles the program and runs it once; a refusal is a value. Raises ToolchainError where
    IREE fails."""
    session = start()
    if isinstance(session, str):
        return Reference("iree", session)
    if device_of(captured) != "cpu":
        return Reference("iree", f"{NAME} is asked for the processor alone")
    begin = time.perf_counter()
    module = given(captured, framework)
    if isinstance(module, str):
        return Reference("iree", f"{NAME} compiles the StableHLO that XLA is given: {module}")
    lowered_ms = (time.perf_counter() - begin) * 1e3
    return _prepared(session, captured, module, lowered_ms)


def _prepared(session: Session, captured: Captured, module: Given, lowered_ms: float) -> Reference:
    file = written(session, module.text)
    made = session.ask("compile", seconds=COMPILE_S, text=str(file))
    program = Remote(session)
    spent_ns, _ = program.timed([program.load(module.flat(captured.arguments))])
    first_ms = lowered_ms + made["ms"] + spent_ns / 1e6
    costs = Costs(capture_ms=lowered_ms, compile_ms=made["ms"], first_call_ms=first_ms)
    driver = session.ask("about")
    said = f"{NAME} {made['version']}, {driver}; {TIMED_THERE}"
    return Reference("iree", said, runnable(program, module.flat, costs), (module.shown,))
