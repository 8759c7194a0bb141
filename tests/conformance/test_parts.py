"""The databases as units and samples."""

from typing import Any

import pytest

from conformance import framework
from conformance.built import build
from conformance.parts import PARTS, AnySample, samples, units
from conformance.sample import BreakSample, FormulaSample, GraphSample, PastedSample, Unit

pytestmark = [pytest.mark.cpu, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize(("part", "least"), [("opinfo", 2500), ("harness", 220)])
def test_a_part_has_all_its_units(part, least):
    assert len(set(units(part))) >= least


def test_a_share_has_the_first_sample_and_is_the_same_at_every_run():
    unit = Unit("opinfo", "add", "forward f32")
    every = [number for number, _ in samples(unit)]
    some = Unit("opinfo", "add", "forward f32", share=0.3)
    chosen = [number for number, _ in samples(some)]
    assert every == list(range(len(every))) and 0 in chosen
    assert 1 <= len(chosen) < len(every) and chosen == [number for number, _ in samples(some)]


def given(sample: AnySample) -> Any:
    """The values that it is run on."""
    match sample:
        case GraphSample():
            return sample.program.inputs
        case FormulaSample():
            return sample.torch.args
        case BreakSample():
            return sample.program.source
        case PastedSample():
            return sample.text
    return sample.args


@pytest.mark.parametrize("part", PARTS)
def test_samples_are_the_same_at_every_run(part):
    unit = units(part)[0]
    (_, first), (_, again) = next(iter(samples(unit))), next(iter(samples(unit)))
    assert repr(given(first)) == repr(given(again))


def test_a_backward_sample_has_a_gradient_to_compare():
    _, sample = next(iter(samples(Unit("opinfo", "exp", "backward f32"))))
    (gradient,) = framework.run(sample).gradients
    assert gradient.shape == sample.args[0].shape
    captured = build(sample).compilation.captured
    assert [graph.role for graph in captured.graphs] == ["forward", "backward"]
