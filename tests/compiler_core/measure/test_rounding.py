"""Inputs and state that are rounded otherwise."""

import itertools

import jax
import jax.numpy as jnp
import pytest
import torch
from jax import lax
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

from compiler_core import capture
from compiler_core.measure import numerics, rounding, run
from compiler_core.measure.intermediate_rounding import OnTheWay
from compiler_core.measure.runnable import Runnable, eager
from compiler_core.pipeline.verdict_text import wrong_ones
from compiler_core.snippet.program import FoundProgram
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

X = torch.linspace(-3, 3, 3000)


def moved(inputs, seed=0):
    return rounding.otherwise(Runnable(list, list, list), None, seed).run(inputs)


def test_inputs_are_rounded_otherwise_by_a_unit_at_most():
    (x,) = moved([X])
    assert not torch.equal(x, X) and torch.equal(x, *moved([X]))
    torch.testing.assert_close(x, X, rtol=2.5e-7, atol=0)
    assert torch.equal(moved([torch.arange(4)])[0], torch.arange(4))


def test_both_parts_of_complex_numbers_are_rounded_otherwise():
    both = torch.complex(X, X.flip(0) + 7)
    (x,) = moved([both])
    assert not torch.equal(x.real, both.real) and not torch.equal(x.imag, both.imag)
    torch.testing.assert_close(x.real, both.real, rtol=2.5e-7, atol=0)
    torch.testing.assert_close(x.imag, both.imag, rtol=2.5e-7, atol=0)
    (of_jax,) = moved([jnp.asarray(both.numpy())])
    assert of_jax.dtype == jnp.complex64 and not (of_jax == both.numpy()).all()


def test_parameters_are_rounded_otherwise_and_restored():
    layer = torch.nn.Linear(3, 4)
    before = layer.weight.detach().clone()

    def step(x):
        layer(x).sum().backward()
        return layer.weight * 1

    captured = capture.capture(FoundProgram("step", "torch", 1, step, (torch.ones(2, 3),)))
    assert captured.session is not None
    other = rounding.otherwise(eager(captured, "torch"), captured.session, 0)
    result, *_ = other.run(captured.arguments)
    assert not torch.equal(result, before)
    torch.testing.assert_close(result, before, rtol=2.5e-7, atol=0)
    captured.session.restore()
    assert torch.equal(layer.weight, before)


def test_a_jax_programs_arrays_are_rounded_otherwise():
    x = jnp.linspace(-3, 3, 3000)
    captured = capture.capture(FoundProgram("double", "jax", 1, lambda x, n: x * n, (x, 2)))
    program = eager(captured, "jax")
    (result,) = rounding.otherwise(program, None, 0).run(captured.arguments)
    (before,) = program.run(captured.arguments)
    assert not torch.equal(result, before)
    torch.testing.assert_close(result, before, rtol=2.5e-7, atol=0)


@pytest.mark.parametrize("dtype", [jnp.bfloat16, jnp.float16])
def test_halves_of_jax_keep_their_type(dtype):
    (x,) = rounding.otherwise(Runnable(list, list, list), None, 0).prepare([jnp.ones(64, dtype)])
    assert x.dtype == dtype and len(set(x.tolist())) == 3


def test_integers_and_keys_of_jax_stay_as_they_are():
    given = [jnp.arange(4), jax.random.key(0), 3]
    same = rounding.otherwise(Runnable(list, list, list), None, 0).prepare(given)
    assert all(x is y for x, y in zip(same, given, strict=True))


def test_what_only_rounding_decides_in_a_jax_step_is_not_held_against_a_compiler():
    """A sign of a gradient that is zero but for rounding is right by luck."""
    x = jnp.linspace(-3, 3, 1000)

    def step(x):
        return x - jnp.sign((x - x.mean()).sum())

    captured = capture.capture(FoundProgram("step", "jax", 1, step, (x,)))
    program = eager(captured, "jax")
    outputs = {"eager": program.run(captured.arguments)}
    exact = [outputs["eager"][0].double()]
    outputs["core"] = [2 * torch.from_dlpack(x) - outputs["eager"][0]]

    def again(eager):
        return eager.run(captured.arguments)

    found = rounding.check(outputs, numerics.Reference(exact), program, None, again)
    assert found["core"].ok and found["core"].rule == numerics.ILL_CONDITIONED


def of_bfloat16(x):
    return (x.bfloat16() * 3).float()


def checked(core):
    # Not at the edge between two numbers of bfloat16: another rounding of theirs changes nothing.
    few = torch.tensor([1.0010, 1.0011, 1.0012])
    captured = capture.capture(FoundProgram("f", "torch", 1, of_bfloat16, (few,)))
    program = eager(captured, "torch")
    runnables = {"eager": program, "core": Runnable(list, core, list)}
    return run.check(runnables, captured, captured.arguments)


def test_a_program_that_rounds_coarsely_is_right_as_far_as_its_rounding_decides():
    found = checked(lambda xs: [of_bfloat16(xs[0])])
    assert found["eager"].ok and found["eager"].rule == numerics.COARSE


def test_whose_result_no_rounding_explains_is_wrong_all_the_same():
    assert not checked(lambda xs: [of_bfloat16(xs[0]) + 5])["core"].ok


def test_a_right_eager_is_not_asked_how_coarsely_the_program_rounds():
    def mixed(x):
        return x * 2, x.bfloat16()

    captured = capture.capture(FoundProgram("f", "torch", 1, mixed, (X,)))
    wrong = Runnable(list, lambda xs: [xs[0] * 2.002, xs[0].bfloat16()], list)
    runnables = {"eager": eager(captured, "torch"), "core": wrong}
    assert not run.check(runnables, captured, captured.arguments)["core"].ok


def recurrence(x, w, of=torch.matmul):
    """Its weights are too large for it to forget how it was rounded."""
    found = [x]
    for _ in range(60):
        found.append(torch.tanh(x + of(found[-1], w)))
    return torch.stack(found)


def last(x, w, of=torch.matmul):
    """Of the recurrence: eager's own roundings move every element of it."""
    return recurrence(x, w, of)[-1]


def of_two_recurrences(of, program=recurrence):
    """The verdicts on the recurrence and on one with another product in it."""
    seeded = torch.Generator().manual_seed(0)
    given = [torch.randn(4, 32, generator=seeded), torch.randn(32, 32, generator=seeded)]
    captured = capture.capture(FoundProgram("f", "torch", 1, program, tuple(given)))
    other = Runnable(list, lambda xs: [program(*xs, of)], list)
    runnables = {"eager": eager(captured, "torch"), "core": other}
    return run.check(runnables, captured, captured.arguments)


def test_where_rounding_decides_a_result_nobody_is_wrong_for_another_rounding():
    found = of_two_recurrences(lambda h, w: (h.double() @ w.double()).float())
    assert all(n.ok and n.rule == numerics.CHAOTIC for n in found.values())
    assert found["eager"].max_abs_error > 1


def test_where_rounding_decides_a_result_another_program_is_wrong_all_the_same():
    found = of_two_recurrences(lambda h, w: h @ w.mT)
    assert found["eager"].ok and not found["core"].ok
    assert "with inputs a 64th of their size output 0 is off by" in found["core"].error


@pytest.mark.parametrize(
    ("of", "right"),
    [(lambda h, w: (h.double() @ w.double()).float(), True), (lambda h, w: h @ w.mT, False)],
)
def test_where_roundings_move_every_element_another_program_is_wrong_all_the_same(of, right):
    found = of_two_recurrences(of, last)
    assert found["eager"].ok and found["core"].ok == right


def test_a_program_that_is_as_chaotic_with_small_inputs_is_judged_by_its_roundings():
    def logistic(x):
        for _ in range(100):
            x = 3.9 * x * (1 - x)
        return x

    captured = capture.capture(
        FoundProgram("f", "torch", 1, logistic, (torch.linspace(0.1, 0.9, 64),))
    )
    other = Runnable(list, lambda xs: [logistic(xs[0] * (1 + 2**-23))], list)
    runnables = {"eager": eager(captured, "torch"), "core": other}
    assert run.check(runnables, captured, captured.arguments)["core"].ok


def gradient(x):
    """Of a function with a pole near the first element."""
    x = x.detach().requires_grad_()
    with torch.enable_grad():
        loss = (1 / (x[0] - 1)) + x[1:].square().sum()
    return torch.autograd.grad(loss, x)[0]


@pytest.mark.parametrize(("off", "ok"), [(1e-4, True), (1.0, False)])
def test_that_threads_add_in_another_order_at_each_call_excuses_rounding_alone(off, ok):
    """What is added to four places is taken from them again, by whichever thread comes first."""
    many = torch.randn(100_000, generator=torch.Generator().manual_seed(0))
    places = (torch.arange(100_000) % 4).repeat(2)

    def totals(x):
        return torch.zeros(4).index_put((places,), torch.cat([x, -x]), accumulate=True)

    captured = capture.capture(FoundProgram("f", "torch", 1, totals, (many,)))
    core = Runnable(list, lambda _: [torch.full((4,), off)], list)
    runnables = {"eager": eager(captured, "torch"), "core": core}
    assert run.check(runnables, captured, captured.arguments)["core"].ok is ok


def test_a_wrong_gradient_is_wrong_beside_an_element_at_a_pole():
    """Whose last place moves it further than all the others are large."""
    x = torch.linspace(1, 3, 100)
    x[0] = 1 + 1e-4
    captured = capture.capture(FoundProgram("f", "torch", 1, gradient, (x,)))
    program = eager(captured, "torch")

    def checked(off, factor):
        def core(xs):
            return [torch.cat((gradient(xs[0])[:1] * off, factor * gradient(xs[0])[1:]))]

        runnables = {"eager": program, "core": Runnable(list, core, list)}
        return run.check(runnables, captured, captured.arguments)["core"]

    assert checked(1.001, 1).ok and not checked(1.001, 3).ok and not checked(1, 3).ok


def cancelling(x):
    """Of zeros, which no rounding moves: what is left is of the constants' rounding."""
    return (x + 0.1) * 3 - 0.3


@pytest.mark.parametrize(("off", "right"), [(3e-8, True), (1e-6, False)])
def test_what_rounding_on_the_way_decides_is_not_held_against_a_compiler(off, right):
    zeros = torch.zeros(1000)
    captured = capture.capture(FoundProgram("f", "torch", 1, cancelling, (zeros,)))
    core = Runnable(list, lambda xs: [cancelling(xs[0]) + off], list)
    runnables = {"eager": eager(captured, "torch"), "core": core}
    found = run.check(runnables, captured, captured.arguments)["core"]
    assert found.ok == right and (found.rule == numerics.ON_THE_WAY) == right


@pytest.mark.parametrize(("off", "right"), [(3e-8, True), (1e-6, False)])
def test_what_rounding_of_complex_numbers_decides_is_not_held_against_a_compiler(off, right):
    def program(x):
        return cancelling(torch.complex(x, x))

    zeros = torch.zeros(1000)
    captured = capture.capture(FoundProgram("f", "torch", 1, program, (zeros,)))
    core = Runnable(list, lambda xs: [torch.view_as_real(program(xs[0]) + off)], list)
    runnables = {"eager": eager(captured, "torch"), "core": core}
    found = run.check(runnables, captured, captured.arguments)["core"]
    assert found.ok == right and (found.rule == numerics.ON_THE_WAY) == right


def cancelled(x):
    return (x - x.mean()).sum()


def cancelled_in_a_loop(x):
    rows = lax.map(lambda parts: parts - x.mean(), x.reshape(4, -1))
    return rows.sum()


CANCELLED = [("torch", cancelled), ("jax", cancelled), ("jax", cancelled_in_a_loop)]
OFF = [(4e-3, True), (1.0, False)]
MET = [
    (CANCELLED[0], OFF[0]),
    (CANCELLED[0], OFF[1]),
    (CANCELLED[1], OFF[1]),
    (CANCELLED[2], OFF[0]),
]


@pytest.mark.parametrize(("cancelling", "added"), thinned(itertools.product(CANCELLED, OFF), MET))
def test_a_sum_that_cancels_is_as_right_as_the_size_of_its_terms_lets_it_be(cancelling, added):
    """Of 2**18 terms of about 1: off by a thousandth is rounding, a term too many is none."""
    (framework, program), (off, right) = cancelling, added
    x = torch.randn(512, 512, generator=torch.Generator().manual_seed(0))
    given = x if framework == "torch" else jnp.asarray(x.numpy())
    captured = capture.capture(FoundProgram("f", framework, 1, program, (given,)))
    exact = cancelled(x.double()).float()
    core = Runnable(list, lambda xs: [exact + off], list)
    runnables = {"eager": eager(captured, framework), "core": core}
    found = run.check(runnables, captured, captured.arguments)
    assert found["core"].ok == right and found["eager"].ok


@pytest.mark.parametrize(("off", "right"), [(1e-7, True), (1e-4, False)])
def test_the_mean_within_a_norm_is_as_right_as_the_size_of_its_terms_lets_it_be(off, right):
    """Of 4096 terms of about 1 that cancel, as of a convolution behind another norm."""
    x = torch.randn(4, 2, 32, 32, generator=torch.Generator().manual_seed(0))
    x -= x.mean((0, 2, 3), keepdim=True)

    def running_mean(x):
        mean, var = torch.zeros(2), torch.ones(2)
        torch.nn.functional.batch_norm(x, mean, var, training=True, momentum=1.0)
        return mean

    captured = capture.capture(FoundProgram("f", "torch", 1, running_mean, (x,)))
    core = Runnable(list, lambda xs: [running_mean(xs[0]) + off], list)
    runnables = {"eager": eager(captured, "torch"), "core": core}
    assert run.check(runnables, captured, captured.arguments)["core"].ok == right


def certain(x):
    """The logarithms of chances that are nearly 1."""
    return torch.log_softmax(x, -1)[:, 1]


@pytest.mark.parametrize(("off", "right"), [(1.2e-7, True), (1e-5, False)])
def test_the_sum_within_a_softmax_rounds_though_its_logarithm_is_nearly_nothing(off, right):
    x = torch.tensor([[0.0, 16.0]]).repeat(64, 1)
    captured = capture.capture(FoundProgram("f", "torch", 1, certain, (x,)))
    core = Runnable(list, lambda xs: [certain(xs[0]) + off], list)
    runnables = {"eager": eager(captured, "torch"), "core": core}
    assert run.check(runnables, captured, captured.arguments)["core"].ok == right


def test_what_torch_compiles_by_itself_runs_after_it_was_rounded_otherwise():
    """Under a mode of dispatch Dynamo gives up what is in flex_attention, from then on."""
    q = torch.randn(1, 2, 128, 16, generator=torch.Generator().manual_seed(0))
    causal = create_block_mask(lambda b, h, q, k: q >= k, None, None, 128, 128, device="cpu")

    def attend(xs):
        return [flex_attention(*xs * 3, block_mask=causal)]

    with rounding.uncompiled(), OnTheWay(0):
        (other,) = attend([q])
    torch.testing.assert_close(attend([q])[0], other, rtol=1e-4, atol=1e-5)


def test_what_only_moves_elements_is_not_rounded_otherwise():
    with OnTheWay(0):
        same, written = torch.stack([X, X]).T.clone(), torch.zeros(3000).copy_(X)
        other, in_place = X * 1, X.clone().mul_(1)
        whole, view = torch.arange(3000) * 2, X.view(3, 1000)
    assert torch.equal(same[:, 1], X) and torch.equal(written, X) and torch.equal(view[0], X[:1000])
    assert torch.equal(whole, torch.arange(3000) * 2)
    for x in (other, in_place):
        assert not torch.equal(x, X)
        torch.testing.assert_close(x, X, rtol=2.5e-7, atol=0)


def test_the_gradient_of_a_convolutions_bias_is_rounded_as_the_sum_that_it_is():
    """Behind a norm its terms cancel, and an optimizer makes whole steps of what is left."""
    bias = torch.zeros(8, requires_grad=True)
    y = torch.nn.functional.conv1d(torch.ones(1, 1, 1024), torch.ones(8, 1, 1), bias)
    with OnTheWay(0):
        (gradient,) = torch.autograd.grad(y, bias, torch.tensor([1.0, -1.0]).tile(1, 8, 512))
    assert 0 < float(gradient.abs().max()) <= 1024 * torch.finfo(torch.float32).eps


@pytest.mark.parametrize(("patience", "asked"), [(60.0, True), (-1.0, False)])
def test_nobody_waits_long_to_know_why_eager_alone_is_off(monkeypatch, patience, asked):
    monkeypatch.setattr(rounding, "_PATIENCE_S", patience)
    seeds = []

    def way(seed):
        seeds.append(seed)
        return [X * 1.5]

    outputs = {"eager": [X * 1.5], "core": [X]}
    reference = numerics.Reference([X.double()])
    found = rounding.check_by_ways(outputs, reference, lambda unit: way, on_the_way=way)
    assert found["core"].ok and not found["eager"].ok and bool(seeds) == asked
    assert (found["eager"].rule == numerics.NOT_KNOWN) != asked
    assert ("takes too long" in wrong_ones(found)) != asked


@pytest.mark.parametrize(
    ("first", "each", "asked"), [(60.0, 0.1, 12), (0.1, 6.0, 4), (0.1, 0.1, 12)]
)
def test_a_slow_program_is_asked_less_and_one_that_is_slow_to_begin_is_not(
    monkeypatch, first, each, asked
):
    seeds, clock = [], [0.0]
    monkeypatch.setattr(rounding.time, "process_time", lambda: clock[0])

    def way(seed):
        clock[0] += each if seeds else first
        seeds.append(seed)
        return [X]

    outputs = {"eager": [X], "core": [X * 1.5]}
    reference = numerics.Reference([X.double()])
    found = rounding.check_by_ways(outputs, reference, lambda unit: way)
    assert len(seeds) == asked and found["eager"].ok and not found["core"].ok
