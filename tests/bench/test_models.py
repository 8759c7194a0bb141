"""The forward pass of some of the whole models, checked and not timed: they are captured, compiled
and right."""

from functools import reduce

import pytest

from bench.suites import SUITES
from bench.warm import STAGES
from compiler_core import report
from compiler_core.pipeline.order import explore_program
from compiler_core.snippet.run import find_programs
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

FILES = {each.name: each.file for each in SUITES["models"]()}
QUICK = ("char_gpt_4", "llama_block", "lstm", "swin", "switch_of_experts", "jax_lstm", "jax_newton")


@pytest.mark.parametrize("name", thinned(QUICK, kept=set(QUICK) - {"swin", "jax_lstm"}))
def test_a_model_is_compiled_and_right(name):
    source, options = FILES[name].read_text(), report.Options(device="cpu", measure=False)
    events: list[report.Event] = []
    first = find_programs(source, options, "cpu", events.append).programs[0]
    explore_program(first, source, "cpu", options, events.append, stages=STAGES)
    [program] = reduce(report.apply, events, report.Report()).programs
    assert program.error is None
    assert program.numerics["core"].ok and program.numerics["eager"].ok
    assert program.summary.native_share == 1.0
