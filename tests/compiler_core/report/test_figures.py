"""Figures of a compiler, told by several: what is known stays, and says why it is not."""

import pytest

from compiler_core.report import CompilerSummary, Figure, Phase, in_a_look, joined

pytestmark = pytest.mark.null


def test_what_is_known_is_not_lost_to_what_does_not_know_it():
    look = CompilerSummary("inductor", bytes=Figure(64), phases=[Phase("codegen", 2.0)])
    timed = CompilerSummary("inductor", kernels=Figure(2), bytes=Figure(why="ask a look"))
    for both in (joined(look, timed), joined(timed, look)):
        assert both.bytes == Figure(64) and both.kernels == Figure(2)
        assert both.phases == [Phase("codegen", 2.0)]


def test_a_reason_takes_the_place_of_none():
    why = Figure(why="its buffers have sizes that vary")
    found = joined(CompilerSummary("inductor"), CompilerSummary("inductor", peak_bytes=why))
    assert found.peak_bytes == why


def test_what_a_look_could_not_count_does_not_lead_to_a_look():
    look = CompilerSummary("tvm", bytes=Figure(why="TVM does not report it"))
    timed = CompilerSummary("tvm", bytes=in_a_look(": tick TVM under Look inside"))
    for both in (joined(look, timed), joined(timed, look)):
        assert both.bytes == look.bytes
