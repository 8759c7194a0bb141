"""What a snippet asks of torch.compile holds for the look."""

import pytest
from torch._inductor import config

from compiler_core.reference.inductor.arguments import CompileArguments

pytestmark = pytest.mark.null


def test_a_mode_is_the_settings_that_it_stands_for():
    with CompileArguments({"mode": "reduce-overhead", "dynamic": True}).settings():
        assert config.triton.cudagraphs
    assert not config.triton.cudagraphs


def test_options_are_inductors_and_what_is_dynamos_goes_there():
    arguments = CompileArguments(
        {"dynamic": True, "options": {"max_fusion_size": 2, "guard_filter_fn": list}}
    )
    assert arguments.dynamos == {"dynamic": True} and arguments.inductors == {"max_fusion_size": 2}


def test_nothing_is_timed_for_a_device_that_is_not_there():
    arguments = CompileArguments({"mode": "max-autotune"})
    with arguments.settings(timing=False):
        assert not config.max_autotune and config.triton.cudagraphs
    with arguments.settings():
        assert config.max_autotune
    assert "max-autotune" in arguments.untimed and not CompileArguments({}).untimed


def test_another_back_ends_options_are_not_inductors():
    assert CompileArguments({"backend": "eager", "options": {"max_fusion_size": 2}}).inductors == {}
