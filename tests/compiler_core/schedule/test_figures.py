"""Whose figures the cost model has."""

from compiler_core.backends.cpu import Cpu
from compiler_core.schedule.figures import figures_of, key, recorded, unknown
from compiler_core.schedule.targets import CpuTarget

CPUINFO = """\
processor	: 0
vendor_id	: GenuineIntel
cpu family	: 6
model		: 207
model name	: Intel(R) Xeon(R) Processor
stepping	: 2

processor	: 1
vendor_id	: GenuineIntel
"""


def test_a_processor_is_known_by_its_family_and_not_by_its_name():
    assert key(CPUINFO, 2) == "GenuineIntel 6 207 2 x2"
    assert key("", 4) == "x4"


def test_every_recorded_machine_is_slower_the_farther_its_memory_is():
    for name, each in recorded().items():
        assert each.machine and name.endswith(tuple("0123456789"))
        sizes = [level.nbytes for level in each.levels]
        assert sizes == sorted(sizes)
        assert each.moving_us(2**30) / 2**30 > each.moving_us(2**16) / 2**16
        assert all(level.shared >= level.alone for level in each.levels)


def test_an_unknown_processor_has_the_first_recorded_figures_and_a_plan_says_so():
    assert figures_of("Stranger x2") == unknown() and not unknown().own
    known = next(iter(recorded()))
    assert figures_of(known).own
    assert Cpu(CpuTarget()).model.assumed == unknown().machine
    assert Cpu(CpuTarget(figures=figures_of(known))).model.assumed == ""
