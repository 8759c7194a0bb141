"""Whose figures the cost model has."""

from dataclasses import replace

import pytest

from compiler_core.backends.cpu import Cpu
from compiler_core.schedule.cpu.choice import choose_cpu
from compiler_core.schedule.cpu.model import cpu_us
from compiler_core.schedule.figures import Curve, Level, figures_of, key, recorded, unknown
from compiler_core.schedule.targets import CpuTarget
from tests.compiler_core.codegen.triton import kernels

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
        assert each.machine and name.endswith(f"x{each.cores}")
        assert 1 << 20 < each.cached_bytes < 1 << 30
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


def on_so_many(cores):
    """A machine whose memory nobody waits for."""
    instant = Level(2**62, 1e12, 1e12)
    figures = replace(unknown(), cores=cores, levels=(instant,))
    return CpuTarget(figures=figures, waking_us=figures.waking_us)


def computing_us(kernel, cores):
    target = on_so_many(cores)
    return cpu_us(kernel, choose_cpu(kernel, target)[0], target) - target.waking_us


def test_arithmetic_is_divided_among_the_processors_that_there_are():
    kernel = kernels.bias_gelu(4096, 4096)
    assert computing_us(kernel, 2) / computing_us(kernel, 16) == pytest.approx(8, rel=0.01)


def test_more_processors_than_rows_wait_for_these():
    kernel = kernels.softmax(8, 4096)
    assert computing_us(kernel, 16) == pytest.approx(computing_us(kernel, 8), rel=0.01)


def test_between_two_measurements_is_a_line_and_beyond_the_last_each_element_takes_as_long():
    curve = Curve((100, 200, 1000), (5.0, 7.0, 40.0))
    assert [curve.us(n) for n in (10, 100, 150, 200, 1000, 2000)] == [5, 5, 6, 7, 40, 80]
    assert Curve((100,), (5.0,)).us(10) == 5.0 and Curve((100,), (5.0,)).us(200) == 10.0


def test_what_is_computed_of_a_rows_result_counts_once_for_each_row():
    kernel, target = kernels.mean(1 << 16), on_so_many(1)
    slow = replace(target, figures=replace(target.figures, weights={"divide": 1000.0}))
    usual, divided = (cpu_us(kernel, choose_cpu(kernel, t)[0], t) for t in (target, slow))
    assert usual < divided < usual + 1
