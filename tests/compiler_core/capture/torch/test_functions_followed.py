"""torch.cond and torch.while_loop with sizes that vary: what they take is followed on the trace."""

import pytest
import torch

from compiler_core.ir.eval_numpy import evaluate
from tests.compiler_core.capture.oracle import captured, to_numpy

B = (("B", ""),)
scale = torch.linspace(-1, 1, 4)


def rows(count, sign=1.0):
    return sign * torch.linspace(0.5, 2, 4 * count).reshape(count, 4)


def check(fn, plain):
    """For either sign, at the size of the captured call and at others."""
    made = captured("torch", fn, rows(3), sizes=B)
    assert not made.specialised and made.sizes == B
    for count in (3, 2, 7):
        for sign in (1.0, -1.0):
            x = rows(count, sign)
            inputs = [x, *made.arguments[1:]]
            got = evaluate(made.graph_for(inputs), [to_numpy(each) for each in inputs])
            want = plain(x)
            assert [tuple(y.shape) for y in got] == [tuple(y.shape) for y in want]
            for ours, theirs in zip(got, want, strict=True):
                torch.testing.assert_close(torch.from_numpy(ours.copy()), theirs)


def test_branches_use_and_keep_what_was_there_before():
    def taken(x, shift):
        y = x * scale
        return y.add_(shift), torch.tensor(2.0) * x

    def other(x, shift):
        return x - shift, x

    def program(x, cond):
        shift = x.mean(0)
        y, z = cond(x.sum() > 0, taken, other, (x, shift))
        return y + shift, z, shift.expand(x.shape[0], 4)

    check(
        lambda x: program(x, torch.cond),
        lambda x: program(x, lambda p, yes, no, given: (yes if p else no)(*given)),
    )


def test_a_loop_goes_on_while_values_say_so():
    def far(y, n):
        return (n < 5) & (y.abs().max() > 0.3)

    def program(x, loop):
        shift = x.amin(0) / 8

        def near(y, n):
            return y / 2 + shift * scale, n + 1

        y, n = loop(far, near, (x, torch.tensor(0)))
        return y + shift, n

    def by_python(proceed, body, state):
        while proceed(*state):
            state = body(*state)
        return state

    check(lambda x: program(x, torch.while_loop), lambda x: program(x, by_python))


def test_a_branch_in_a_branch_and_without_operands():
    def program(x, cond):
        def inner(y):
            return cond(y.amax() > 1, lambda: y * 2 + x.sum(), y.cos, ())

        return (cond(x.sum() > 0, inner, torch.sin, (x + 1,)),)

    check(
        lambda x: program(x, torch.cond),
        lambda x: program(x, lambda p, yes, no, given: (yes if p else no)(*given)),
    )


@pytest.mark.parametrize("size", [1, 9])
def test_a_branch_by_a_size_is_compiled_for_that_size(size):
    def program(x):
        return torch.cond(x.shape[0] > size, torch.sin, torch.cos, (x,))

    made = captured("torch", program, rows(3), sizes=B)
    assert bool(made.specialised) == (size == 9)
