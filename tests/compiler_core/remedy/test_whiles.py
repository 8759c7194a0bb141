"""A while by a tensor's value becomes the framework's own loop, or is left with the reason."""

import pytest

from compiler_core.remedy.change import Refused
from tests.compiler_core.remedy.remedying import JAX, TORCH, asked, changed

WHILE = """\
def f(x):
    y = torch.ones_like(x)
    while (y * y - x).abs().max() > 1e-4:  # here
        old = y  # the value before
        y = 0.5 * (old + x / old)
    return y
"""


def test_a_while_becomes_the_loop_of_torch():
    assert (
        changed(TORCH, WHILE, "graph break")
        == """\
def f(x):
    y = torch.ones_like(x)
    def goes_on(y):
        return (y * y - x).abs().max() > 1e-4
    def turn(y):  # here
        old = y  # the value before
        y = 0.5 * (old + x / old)
        return (y,)
    (y,) = torch.while_loop(goes_on, turn, (y,))
    return y
"""
    )


def test_a_while_becomes_the_loop_of_jax_whose_turns_change_nothing_in_place():
    body = """\
    def f(x):
        turn, n = 1.0, 0
        while (not jnp.all(x < 1)):  # here
            x /= turn + 1; n += 1
        return x, n
    """
    assert (
        changed(JAX, body, "failed")
        == """\
def f(x):
    turn, n = 1.0, 0
    def goes_on(x, n):
        return jnp.logical_not(jnp.all(x < 1))
    def turn_(x, n):  # here
        x = x / (turn + 1); n = n + 1
        return (x, n)
    (x, n) = jax.lax.while_loop({}, {}, (x, n))
    return x, n
""".format("lambda values: goes_on(*values)", "lambda values: turn_(*values)")
    )


def test_one_value_that_goes_from_turn_to_turn_is_no_tuple_in_jax():
    body = "def f(x):\n    while x.max() > 1:  # here\n        x = x / 2\n    return x\n"
    assert changed(JAX, body, "failed").splitlines()[3:] == [
        "    def turn(x):  # here",
        "        x = x / 2",
        "        return x",
        "    x = jax.lax.while_loop(goes_on, turn, x)",
        "    return x",
    ]


@pytest.mark.parametrize(
    ("test", "body", "reason"),
    [
        ("x.sum() > 1", "x = x / 2\n        if x.max() > 3:\n            break", "does more than"),
        ("x.sum() > 1", "x[0] = 1", "does more than give names values: x[0] = 1"),
        ("x.sum() > 1 and x.max() > 0", "x = x / 2", "write it with & first"),
        ("x.sum() > 1", "z = x / 2\n        x = z", "z is read after the loop"),
        ("x.sum() > 1", "w = x / 2", "gives no name another value"),
    ],
)
def test_a_while_that_is_no_such_loop_is_left_with_the_reason(test, body, reason):
    source = f"{TORCH}def f(x):\n    while {test}:  # here\n        {body}\n    return x + z\n"
    found = asked(source, "graph break")
    assert isinstance(found, Refused) and reason in found.reason
