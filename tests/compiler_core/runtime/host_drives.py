"""Plans whose loops and branches the framework drives, where C could."""

from dataclasses import replace

from compiler_core.plan.choose import OnCpu
from compiler_core.plan.library import LibrarySchedule


class HostDrives(OnCpu):
    """C for kernels and products, control flow by the framework."""

    def __call__(self, step):
        launches = super().__call__(step)
        if not step.plans:
            return launches
        return tuple(replace(x, schedule=LibrarySchedule("host")) for x in launches)

    def inside(self):
        return self
