"""What a snippet asks of torch.compile holds for the look."""

import pytest
from torch._inductor import config

from compiler_core.reference.inductor.asked import Asked

pytestmark = pytest.mark.null


def test_a_mode_is_the_settings_that_it_stands_for():
    with Asked({"mode": "reduce-overhead", "dynamic": True}).settings():
        assert config.triton.cudagraphs
    assert not config.triton.cudagraphs


def test_options_are_inductors_and_what_is_dynamos_goes_there():
    asked = Asked({"dynamic": True, "options": {"max_fusion_size": 2, "guard_filter_fn": list}})
    assert asked.dynamos == {"dynamic": True} and asked.inductors == {"max_fusion_size": 2}


def test_nothing_is_timed_for_a_device_that_is_not_there():
    asked = Asked({"mode": "max-autotune"})
    with asked.settings(timing=False):
        assert not config.max_autotune and config.triton.cudagraphs
    with asked.settings():
        assert config.max_autotune
    assert "max-autotune" in asked.untimed and not Asked({}).untimed


def test_another_back_ends_options_are_not_inductors():
    assert Asked({"backend": "eager", "options": {"max_fusion_size": 2}}).inductors == {}
