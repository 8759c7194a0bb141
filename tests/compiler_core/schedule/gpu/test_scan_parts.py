"""The scan of a long row as three kernels: totals of parts, what is before each, each part."""

import pytest

from compiler_core.kernel.kernel import Kernel
from compiler_core.schedule.gpu.scan_parts import is_one_scan, scanned_in_parts
from tests.compiler_core.codegen.triton import kernels
from tests.compiler_core.codegen.tuples import running, running_extremum, scan_of_a_scan

ROW, PARTS = 4096, 16


def test_the_parts_cover_the_row() -> None:
    totals, before, within = scanned_in_parts(running("add", "row", 3, ROW), PARTS)
    sizes = [sorted(a.extent for a in k.axes) for k in (totals, before, within)]
    assert sizes == [[3, PARTS, ROW // PARTS], [3, PARTS], [3, PARTS, ROW // PARTS]]
    assert not totals.scans and before.scans and within.scans
    assert [e.monoid for e in totals.reductions.values()] == ["add", "add"]


def test_each_kernel_reads_what_the_one_before_it_has_written() -> None:
    totals, before, within = scanned_in_parts(running("add", "row", 3, ROW), PARTS)
    written = [{b.name for b in k.outputs} for k in (totals, before, within)]
    read = [{b.name for b in k.inputs} for k in (totals, before, within)]
    assert read == [{"x"}, written[0], written[1] | {"x"}]
    assert written[2] == {"y", "z"}


@pytest.mark.parametrize(
    ("kernel", "alone"),
    [
        (running("add", "row", 3, ROW), True),
        (running("add", "column", 3, ROW), True),
        (running_extremum("argmax", "row", 3, ROW), False),
        (scan_of_a_scan(3, ROW), False),
        (kernels.softmax(3, ROW), False),
    ],
    ids=["row", "column", "beside a reduction", "of a scan", "no scan"],
)
def test_scans_alone_are_divided(kernel: Kernel, alone: bool) -> None:
    assert is_one_scan(kernel) == alone
