"""The candidates for running loops, branches and library calls, for which there is no kernel.

A loop costs what its steps cost, as often as they run, and what drives them: generated C is called
once for all of them; the host is called back for each region that runs.
"""

from collections.abc import Collection

from compiler_core.plan.control import Control
from compiler_core.plan.library import LibrarySchedule
from compiler_core.plan.plan import Launch, Plan
from compiler_core.plan.steps import LibraryCall, Step
from compiler_core.schedule.choice import Candidate, Option, Schedule

C, HOST, LIBRARY = "control", "host", "library"
# Measured times of calling a region of generated C from Python, and of calling the framework.
_REGION_US = 3.5
_CALL_US = 10.0


def on_cpu(step: Control, in_c: Collection[str]) -> list[Option[Schedule]]:
    """The candidates for driving a loop or a branch on a CPU: generated C, which can run steps with
    the strategies `in_c`, or the host."""
    outside = next((x for x in _inner(step) if x.schedule.strategy not in in_c), None)
    if outside is not None:
        reason = f"{outside.step.name} is not run by C: {outside.schedule.reason}"
        who = f"the framework drives the steps: {_title(outside.step)} is one of them"
        return [Option(Candidate(C, reason)), _by_host(step, who)]
    reason = "C drives the steps, in one call"
    one = Candidate(C, reason, step.total(_plan_us))
    by_host = _by_host(step, "the host calls C for each step")
    return [Option(one, LibrarySchedule(C, reason)), by_host]


def _title(step: Step) -> str:
    return step.library or step.name


def on_gpu(step: Control) -> list[Option[Schedule]]:
    """The candidates on a GPU: the host drives the steps, since a Triton kernel cannot launch
    another."""
    refused = Candidate(C, "Triton has no launches from a kernel")
    return [Option(refused), _by_host(step, "the host launches each step")]


def of_library(step: LibraryCall, bytes_per_us: float) -> list[Option[Schedule]]:
    """The framework's kernel as the only possible candidate, with the reason why none is generated.
    Its arithmetic is not known, so its cost is that of a call and of moving its operands and
    results."""
    moved = sum(step.traffic()) / bytes_per_us
    title = f"{step.callee}, called through {step.callee.framework}"
    called = Candidate(LIBRARY, title, moved + _CALL_US)
    why = step.callee.reason
    schedule = LibrarySchedule(LIBRARY, why or title)
    return [Option(Candidate("kernel", why or "no kernel")), Option(called, schedule)]


def _by_host(step: Control, reason: str) -> Option[Schedule]:
    us = step.total(lambda plan: _plan_us(plan) + _REGION_US)
    return Option(Candidate(HOST, reason, us), LibrarySchedule(HOST, reason))


def _inner(step: Control) -> list[Launch]:
    return [launch for plan in step.plans for launch in plan.walk()]


def _plan_us(plan: Plan) -> float:
    return sum(launch.cost_us for launch in plan.launches)
