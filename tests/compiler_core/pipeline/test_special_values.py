"""NaN, infinities and signed zeros are among what a compiled program is checked with."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from compiler_core import explore
from compiler_core.capture import capture
from compiler_core.capture.fresh import with_specials
from compiler_core.capture.torch.dynamo.backward import OfEveryResult
from compiler_core.pipeline import evaluation, special_values
from compiler_core.report import Options
from tests.compiler_core import snippets
from tests.sweep_plugin import thinned

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]
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


def test_a_maximum_passes_nan_on_though_a_library_of_xla_loses_it():
    found, summary = checked(jax.jit(lambda x: jnp.abs(x).max(1)), jnp.ones((8, 64, 32)))
    assert found.ok and summary.endswith("also with NaN and infinities")


def test_what_is_wrong_for_them_alone_is_found_out(monkeypatch):
    right = evaluation.own_version

    def without_nan(c):
        runnable = right(c)
        call = runnable.call
        return evaluation.replace(runnable, call=lambda x: [y.nan_to_num(0) for y in call(x)])

    monkeypatch.setattr(evaluation, "own_version", without_nan)
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


SHAPES = [(1, 1, 1, 4), (8, 2, 9, 16), (2, 4, 64, 32), (1, 2, 200, 32)]
HIDDEN = list(itertools.product((causal, masked, by_hand), SHAPES))
# Tiles of each by one of the two shapes that have some.
TILED = ((causal, SHAPES[2]), (masked, SHAPES[2]), (by_hand, SHAPES[3]))


@pytest.mark.parametrize(
    ("fn", "shape"), thinned(HIDDEN, kept=[x for x in HIDDEN if x[1] in SHAPES[:2] or x in TILED])
)
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
    right = evaluation.own_version
    monkeypatch.setattr(
        evaluation,
        "own_version",
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


def definite(x):
    return x @ x.T + jnp.eye(len(x))


@pytest.mark.parametrize(
    "fn",
    [lambda x: jnp.linalg.cholesky(definite(x)), lambda x: jnp.linalg.slogdet(definite(x))],
    ids=["cholesky", "lu"],
)
def test_no_factorization_is_called_wrong_for_its_pivots_among_nan(fn):
    found, summary = checked(jax.jit(fn), jax.random.normal(jax.random.key(0), (8, 8)))
    assert found.ok, found.error
    assert summary.endswith(f", not with NaN and infinities: {special_values.PIVOTS}")


# -- functions whose kernels torch has written twice, for vectors and for single elements
TWICE = ["hardtanh", "hardswish", "hardshrink", "softshrink", "elu"]


def test_where_torch_differs_from_itself_at_nan_either_is_right():
    """Within a vector the gradients are 0 or NaN, at the end of a tensor what came in."""

    def slopes(x):
        return [torch.func.grad(lambda x, f=f: getattr(F, f)(x).sum())(x) for f in TWICE]

    found, summary = checked(slopes, X)
    assert found.ok and "also with NaN and infinities" in summary


def test_nan_is_quantized_as_the_lowest_number():
    def quantized(x):
        scale, zero = torch.full((2,), 0.1), torch.zeros(2, dtype=torch.int32)
        rows = x.reshape(2, -1)
        each = torch.fake_quantize_per_channel_affine(rows, scale, zero, 0, -128, 127)
        return each, torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -128, 127)

    found, summary = checked(quantized, X)
    assert found.ok and "also with NaN and infinities" in summary


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_an_image_that_is_resized_has_nan_only_where_its_windows_have(mode):
    def resized(x):
        return F.interpolate(x.reshape(1, 1, 5, 8), size=(4, 9), mode=mode, antialias=True)

    found, summary = checked(resized, X)
    assert found.ok and "also with NaN and infinities" in summary


def test_distances_and_their_gradients_are_nan_where_torchs_are():
    def distances(x):
        rows, others = x.reshape(5, 8), torch.linspace(-1, 1, 24).reshape(3, 8)
        slopes = [
            torch.func.grad(lambda rows, p=p: torch.cdist(rows, others, p=p).sum())(rows)
            for p in (1.0, 3.0, torch.inf)
        ]
        return torch.cdist(rows, others, p=torch.inf), F.pdist(rows, p=torch.inf), slopes

    found, summary = checked(distances, X)
    assert found.ok and "also with NaN and infinities" in summary


# -- norms, whose weights and running statistics are among the arguments

NORMS = {
    "group": lambda x, w, b: torch.nn.functional.group_norm(x, 2, w, b),
    "batch": lambda x, w, b: torch.nn.functional.batch_norm(x, None, None, w, b, training=True),
    "instance": lambda x, w, b: torch.nn.functional.instance_norm(x, None, None, w, b),
    "running": lambda x, w, b: torch.nn.functional.batch_norm(x, w, b.abs() + 1, w, b),
    "layer": lambda x, w, b: torch.nn.functional.layer_norm(x.mT, (8,), w, b),
}


@pytest.mark.parametrize("name", NORMS)
def test_norms_are_right_with_weights_that_are_no_numbers(name):
    generator = torch.Generator().manual_seed(0)
    given = [torch.randn(shape, generator=generator) for shape in ((3, 8, 5), (8,), (8,))]
    found, summary = checked(NORMS[name], *given)
    assert found.ok and summary.endswith("also with NaN and infinities")


def test_a_norm_that_loses_an_infinite_weight_is_found_out(monkeypatch):
    right = evaluation.own_version

    def finite(c):
        runnable = right(c)
        call = runnable.call
        return evaluation.replace(runnable, call=lambda x: call([x[0], x[1].clamp(-9, 9), x[2]]))

    monkeypatch.setattr(evaluation, "own_version", finite)
    given = torch.randn(3, 8, 5), torch.randn(8), torch.randn(8)
    assert not checked(NORMS["group"], *given)[0].ok


@pytest.mark.parametrize("of", [torch.var_mean, torch.std_mean])
def test_a_mean_of_an_infinity_that_comes_last_may_be_what_it_is_elsewhere(of):
    """torch's is infinite there, and NaN where a number follows."""
    last = torch.tensor([[1.0, 2.0, torch.inf], [torch.inf, 1.0, 2.0]])
    assert [bool(x) for x in of(last, 1)[1].isnan()] == [False, True]
    found, summary = checked(lambda x: of(x, 0), torch.randn(8, 40))
    assert found.ok and summary.endswith("also with NaN and infinities")


# -- convolutions whose edges and gaps nobody multiplies


def transposed(x, w):
    return torch.nn.functional.conv_transpose2d(x, w, stride=2, padding=1)


def of_groups(x, w):
    return torch.nn.functional.conv_transpose2d(x, w[:, :2], stride=3, dilation=2, groups=4)


def followed(x, w):
    return torch.nn.functional.conv_transpose2d(x, w).relu() + 1


def of_input(x, w):
    return torch.nn.grad.conv2d_input((2, 8, 10, 10), w, x, padding=1)


def of_jax(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), [(1, 1), (1, 1)], lhs_dilation=(2, 2))


OF_TORCH = (transposed, of_groups, followed, of_input)
BOTH = [(fn, dtype) for fn in OF_TORCH for dtype in (torch.float32, torch.float64)]


@pytest.mark.parametrize(("fn", "dtype"), [*BOTH, (of_jax, torch.float32)])
def test_no_weight_is_multiplied_by_an_edge_or_a_gap(fn, dtype):
    generator = torch.Generator().manual_seed(0)
    shapes = ((2, 8, 10, 10), (8, 8, 3, 3))
    given = [torch.randn(shape, generator=generator, dtype=dtype) for shape in shapes]
    if fn is of_jax:
        fn, given = jax.jit(fn), [jnp.asarray(x.numpy()) for x in given]
    found, summary = checked(fn, *given)
    assert found.ok and summary.endswith("also with NaN and infinities")


MONITORED = """
import torch

@torch.compile
def f(x, weights):
    return (x * weights).sum(), (x.exp() * weights).sum() / weights.sum()

x = torch.linspace(0.1, 3, 40, requires_grad=True)
loss, monitored = f(x, torch.linspace(1, 2, 40))
loss.backward()
"""


def test_a_result_without_a_gradient_may_have_one_of_zeros():
    """AOTAutograd's backward graph takes a gradient of each result, and zero times NaN is NaN."""
    (program,) = snippets.explore(MONITORED).programs
    captured = capture(program)
    session, inputs = captured.session, captured.special(0)
    compiled = _where_nan(session.outputs(session.compiled(session.prepare(inputs))))
    session.restore()
    assert _where_nan(captured.eager(inputs)) != compiled
    with OfEveryResult() as way:
        assert _where_nan(captured.eager(inputs)) == compiled and way.called


OWN_STEP = """
import torch

w = torch.nn.Parameter(torch.linspace(1, 2, 40))

@torch.compile
def step(x):
    y = x * w
    loss, monitored = y.sum(), y.exp().mean()
    loss.backward()
    return loss.detach(), monitored.detach()

step(torch.linspace(0.1, 3, 40))
"""


def test_a_program_with_a_backward_pass_of_its_own_may_have_gradients_of_zeros_too():
    (program,) = snippets.explore(OWN_STEP).programs
    captured = capture(program)
    session, inputs = captured.session, captured.special(0)
    own = _where_nan(captured.eager(inputs))
    compiled = _where_nan(session.outputs(session.compiled(session.prepare(inputs))))
    traced = _where_nan(session.outputs(session.by_gradient_tracer(session.prepare(inputs))))
    session.restore()
    assert traced == compiled != own


def _where_nan(outputs):
    return [x.isnan().tolist() for x in outputs]
