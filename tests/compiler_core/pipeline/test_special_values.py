"""NaN, infinities and signed zeros are among what a compiled program is checked with."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from compiler_core import explore
from compiler_core.capture.fresh import with_specials
from compiler_core.pipeline import evaluation, special_values
from compiler_core.report import Options

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]
X = torch.linspace(0.1, 3, 40)


def checked(fn, *args):
    (program,) = explore(fn, *args, fuselab_options=Options(measure=False)).programs
    (stage,) = [s for s in program.stages if s.name == "numerics"]
    return program.numerics["core"], stage.summary


@pytest.mark.parametrize("fn", [torch.sqrt, jax.jit(jnp.sqrt)], ids=["torch", "jax"])
def test_the_summary_says_so(fn):
    given = X if fn is torch.sqrt else jnp.asarray(X)
    found, summary = checked(fn, given)
    assert found.ok and "also with NaN and infinities" in summary


def test_what_is_wrong_for_them_alone_is_found_out(monkeypatch):
    right = evaluation._core

    def without_nan(c):
        runnable = right(c)
        call = runnable.call
        return evaluation.replace(runnable, call=lambda x: [y.nan_to_num(0) for y in call(x)])

    monkeypatch.setattr(evaluation, "_core", without_nan)
    found, _ = checked(torch.sqrt, X)
    assert not found.ok and found.error.startswith("with NaN, infinities and zeros among the")


def test_a_program_that_refuses_them_is_not_checked_with_them():
    found, summary = checked(lambda x: torch.linalg.eigvalsh(x * 2), torch.eye(4) + 1)
    assert found.ok and "not with NaN and infinities: " in summary


@pytest.mark.parametrize("size", [0, 1, 4, 100])
def test_each_is_in_a_place_of_its_own(size):
    before = np.arange(1, size + 1, dtype=np.float32)
    after = with_specials(before, np.random.default_rng(0))
    assert after.shape == before.shape and (before == np.arange(1, size + 1)).all()
    other = ~(after == before)
    assert other.sum() == min(5, (size + 1) // 2)
    if size == 100:
        zeros = np.sort(np.signbit(after[after == 0]))
        assert list(zeros) == [False, True] and np.isnan(after).sum() == 1
        assert sorted(after[np.isinf(after)]) == [-np.inf, np.inf]


ATTENTION = torch.nn.functional.scaled_dot_product_attention


def causal(q, k, v):
    return ATTENTION(q, k, v, is_causal=True)


def masked(q, k, v):
    seen = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    return ATTENTION(q, k, v, attn_mask=seen & ~seen.tril(-7))


def of_heads(shape):
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(shape, generator=generator) for _ in range(3)]


def by_hand(q, k, v):
    """Of 200 rows, a generated attention goes over no keys that are hidden from a tile."""
    scores = 20 * torch.tanh(q @ k.mT / 20)
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), -1) @ v


@pytest.mark.parametrize("fn", [causal, masked, by_hand])
@pytest.mark.parametrize("shape", [(1, 1, 1, 4), (8, 2, 9, 16), (2, 4, 64, 32), (1, 2, 200, 32)])
def test_values_that_a_mask_hides_may_be_read_or_not(fn, shape):
    """One row, rows by themselves, and tiles other than torch's."""
    found, summary = checked(fn, *of_heads(shape))
    assert found.ok and summary.endswith("also with NaN and infinities"), found.error


def with_the_mask_added(q, k, v):
    with sdpa_kernel(SDPBackend.MATH):
        return causal(q, k, v)


def without_nan(q, k, v):
    return causal(q, k, v).nan_to_num(0)


@pytest.mark.parametrize("wrong", [with_the_mask_added, without_nan])
def test_scores_that_a_mask_hides_may_not_be_read(wrong, monkeypatch):
    right = evaluation._core
    monkeypatch.setattr(
        evaluation,
        "_core",
        lambda c: evaluation.replace(right(c), call=lambda given: [wrong(*given)]),
    )
    found, _ = checked(causal, *of_heads((2, 4, 64, 32)))
    assert not found.ok and found.error.startswith("with NaN, infinities and zeros among the")


def of_the_best(x):
    values, places = torch.topk(torch.softmax(x, 1), 2)
    return torch.zeros_like(x).scatter(1, places, values)


@pytest.mark.parametrize(
    ("fn", "reason"),
    [(of_the_best, special_values.TIES)],
    ids=["the places of equal NaN"],
)
def test_what_they_leave_undecided_is_said(fn, reason):
    found, summary = checked(fn, torch.randn(40, 60, generator=torch.Generator().manual_seed(1)))
    assert found.ok and summary.endswith(f", not with NaN and infinities: {reason}")


def rows_and_branch(x):
    total, rows = jax.lax.scan(lambda total, row: (jnp.tanh(total + row), row * 2), x[0], x)
    return jax.lax.cond(total.max() > 2, lambda r: r / 2, jnp.sqrt, rows)


def halved(x):
    return jax.lax.while_loop(lambda x: jnp.abs(x).max() > 1e-3, lambda x: x / 2, x)


def test_loops_of_known_length_and_branches_are_checked_with_them():
    found, summary = checked(jax.jit(rows_and_branch), jnp.asarray(X.reshape(5, 8)))
    assert found.ok and summary.endswith(", also with NaN and infinities")


def test_of_a_loop_that_a_nan_may_keep_from_its_end_it_is_said():
    found, summary = checked(jax.jit(halved), jnp.asarray(X))
    assert found.ok and summary.endswith(f", not with NaN and infinities: {special_values.ENDLESS}")
