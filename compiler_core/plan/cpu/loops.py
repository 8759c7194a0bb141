"""A launch that is a loop nest in C."""

from compiler_core.kernel.kernel import Kernel
from compiler_core.plan.plan import Launch
from compiler_core.schedule.cpu.schedule import CpuSchedule


def kernel_of(launch: Launch) -> tuple[Kernel, CpuSchedule]:
    """The kernel and the schedule of a launch whose strategy is one for loops."""
    kernel, schedule = launch.step.kernel, launch.schedule
    assert kernel is not None and isinstance(schedule, CpuSchedule)
    return kernel, schedule
