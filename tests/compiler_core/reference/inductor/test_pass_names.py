"""Passes by names that say something."""

import pytest

from compiler_core.reference.inductor.stages import pass_name


@pytest.mark.parametrize(
    ("own", "shown"),
    [
        ("joint_graph.pass_pattern_0", "looking for patterns, group 1"),
        ("post_grad.remove_noop_ops", "remove_noop_ops"),
    ],
)
def test_a_pass_that_is_only_numbered_says_what_it_does(own, shown):
    assert pass_name(own) == shown
