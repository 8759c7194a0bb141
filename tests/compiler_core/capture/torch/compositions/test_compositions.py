"""Operations that are compositions of others, with their gradients."""

import itertools

import numpy as np
import pytest
import torch
from torch.func import grad
from torch.nn import functional

from compiler_core.ir.eval_numpy import evaluate
from tests.compiler_core.capture.oracle import agrees, captured, library_calls, to_numpy
from tests.sweep_plugin import thinned

pytestmark = pytest.mark.cpu

torch.manual_seed(0)
X = torch.randn(6, 8)
ROW = X[0].sort().values
VOLUME = torch.randn(1, 2, 4, 5, 6)
GRID = torch.rand(1, 3, 4, 5, 3) * 3 - 1.5
PLACES = torch.tensor([[0, 2, 1], [3, 0, 5]])
LABELS = torch.tensor([[1, 2, -1, 0, 0, 0, 0, 0], [-1, *range(7)], [*range(8)]] * 2)
LENGTHS = torch.tensor([2, 0, 3, 1])


def _scattered(reduce, include_self):
    def f(x):
        return x.scatter_reduce(
            0, PLACES, x[1:3, :3].contiguous(), reduce, include_self=include_self
        )

    return f


PROGRAMS = {
    "search": lambda x: torch.searchsorted(ROW, x),
    "search behind equals, by rows": lambda x: torch.searchsorted(
        x.sort(1).values, x, side="right", out_int32=True
    ),
    "search by an order": lambda x: torch.searchsorted(x, x.sort(1).values, sorter=x.argsort(1)),
    "buckets of a number": lambda x: torch.bucketize(0.25, ROW),
    "distances": lambda x: torch.cdist(x, x[:4] + 1),
    "distances of many": lambda x: torch.cdist(x.repeat(5, 1), x.repeat(5, 1) + 1),
    "distances by the greatest": lambda x: torch.cdist(x, x[:4], p=float("inf")),
    "distances of order 3": lambda x: torch.cdist(x, x[:4], p=3),
    "distances within": functional.pdist,
    "gradient of a weight's norm": lambda x: torch.ops.aten._weight_norm_interface_backward(
        x.cos(), x, x[:, :1] + 2, x.norm(dim=1, keepdim=True), 0
    ),
    "gradient of the last dimension's norms": lambda x: (
        torch.ops.aten._weight_norm_interface_backward(
            x.cos(), x, x[:1] + 2, x.norm(dim=0, keepdim=True), 1
        )
    ),
    "bilinear": lambda x: functional.bilinear(x, x, x.reshape(6, 8, 1) + torch.ones(6, 8, 8)),
    "histogram of evenly spaced bins": lambda x: torch.histc(x, 7, -1, 1),
    "histogram of the data's range": lambda x: torch.histogram(x, 5),
    "histogram of given edges": lambda x: torch.histogram(x, ROW, weight=x.abs(), density=True),
    "histogram of points": lambda x: torch.histogramdd(x[:, :2], [3, 4]).hist,
    **{
        f"segments, {name}": lambda x, name=name: torch.segment_reduce(
            x, name, lengths=LENGTHS, unsafe=True
        )
        for name in ("sum", "mean", "max", "min", "prod")
    },
    "segments of a start": lambda x: torch.segment_reduce(
        x, "mean", offsets=torch.tensor([0, 2, 2, 6]), initial=1.0
    ),
    "places of what is not zero": lambda x: torch.nonzero_static(x > 0.5, size=9),
    "masked scatter": lambda x: x.masked_scatter(x > 0, x * 2),
    "written by a mask": lambda x: x.index_put((x[:, 0] > 0,), torch.tensor(2.0), accumulate=True),
    "put": lambda x: x.put(PLACES, torch.arange(6.0).reshape(2, 3), accumulate=True),
    "take": lambda x: x.take(PLACES - 4),
    "is in": lambda x: torch.isin(x.round(), torch.arange(-30, 30) * 2),
    "mode": lambda x: (x * 2).round().mode(1),
    "windows": lambda x: x.unfold(1, 3, 2),
    "copied by strides": lambda x: torch.as_strided_copy(x.t(), (3, 4), (2, 3), 5),
    "into strides": lambda x: x.as_strided_scatter(x[:3, :4] * 0, (3, 4), (8, 2), 1),
    "into strides, between elements": lambda x: x[:, 1::3].as_strided_scatter(
        x[:2, :2] * 0, (2, 2), (2, 3), 2
    ),
    "into a diagonal": lambda x: x.diagonal_scatter(torch.arange(5.0), 3),
    "into a lower diagonal": lambda x: x.expand(2, 6, 8).diagonal_scatter(x[:2, :4], -2, 1, 2),
    "into a slice": lambda x: x.slice_scatter(x[:2] * 2, 0, 1, 4, 2),
    "a write to a diagonal": lambda x: (x + 0).diagonal().mul_(2),
    "fewer indices than rows": lambda x: x.scatter(1, PLACES, 5.0),
    "scatter by reduction": lambda x: x.scatter(0, PLACES, 2.0, reduce="multiply"),
    **{
        f"scatter, {name}, {'with' if own else 'without'} itself": _scattered(name, own)
        for name in ("sum", "prod", "mean", "amax", "amin")
        for own in (True, False)
    },
    "reduced rows": lambda x: x.index_reduce(0, LENGTHS, x[:4] * 2, "mean", include_self=False),
    "filled rows": lambda x: x.index_fill(1, LENGTHS - 3, 7.0),
    "rows of a bounded length": lambda x: functional.embedding(PLACES, x + 0, max_norm=1.0),
    "smaller, antialiased": lambda x: functional.interpolate(
        x[None, None], (4, 9), mode="bilinear", antialias=True
    ),
    "corners aligned, antialiased": lambda x: functional.interpolate(
        x[None, None], (9, 5), mode="bicubic", antialias=True, align_corners=True
    ),
    "labels up to -1": lambda x: functional.multilabel_margin_loss(x, LABELS, reduction="none"),
    "quantized": lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 20),
    "quantized channels": lambda x: torch.fake_quantize_per_channel_affine(
        x, ROW.abs() + 0.01, torch.arange(8, dtype=torch.int32), 1, -20, 20
    ),
    "nibbles": lambda x: torch.stack([x.byte() & 15, x.byte() >> 4], -1).reshape(6, 16),
    "common divisors": lambda x: torch.gcd((x * 100).long(), (x * 60).long()),
    "common multiples": lambda x: torch.lcm((x * 100).long(), (x * 6).long()),
    "incomplete gamma": lambda x: torch.igamma(x.exp() * 9, x.flip(0).exp() * 9),
    "incomplete gamma above": lambda x: torch.igammac(x.exp(), x.flip(0).exp()),
    "lists": lambda x: torch._foreach_addcdiv([x, x + 1], [x, x], [x.exp(), x.exp()], [2.0, 3.0]),
    "Gaussian loss": lambda x: functional.gaussian_nll_loss(x, x * 2, x[:, :1].abs(), full=True),
    "covariances": lambda x: torch.cov(
        x, fweights=LENGTHS.repeat(2), aweights=ROW.abs(), correction=0
    ),
    "correlations": torch.corrcoef,
    "combinations": lambda x: torch.combinations(x[0], 3),
    "adaptive maxima": lambda x: functional.adaptive_max_pool2d(
        x[None], (4, 3), return_indices=True
    ),
    "adaptive maxima of volumes": lambda x: functional.adaptive_max_pool3d(VOLUME, (3, 2, 4)),
    "adaptive means of volumes": lambda x: functional.adaptive_avg_pool3d(VOLUME + x[0, 0], 3),
    "fractional maxima": lambda x: functional.fractional_max_pool2d(
        x[None, None], 2, (3, 5), _random_samples=torch.tensor([[[0.3, 0.8]]]), return_indices=True
    ),
    **{
        f"volumes, {mode}, {padding}": lambda x, mode=mode, padding=padding: functional.grid_sample(
            VOLUME, GRID + x[0, 0], mode, padding, align_corners=padding == "border"
        )
        for mode in ("bilinear", "nearest")
        for padding in ("zeros", "border", "reflection")
    },
}  # fmt: skip
GRADIENTS = {
    **{
        name: PROGRAMS[name]
        for name in (
            "distances", "distances by the greatest", "distances of order 3", "distances within",
            "bilinear", "segments, sum", "segments, mean", "segments, max", "segments, prod",
            "masked scatter", "take", "windows", "into a diagonal", "adaptive maxima of volumes",
            "volumes, bilinear, zeros", "volumes, nearest, border",
            "labels up to -1", "quantized", "smaller, antialiased", "Gaussian loss", "covariances",
            "scatter, sum, with itself", "scatter, mean, without itself",
        )
    },
    "images": lambda x: functional.grid_sample(
        VOLUME[0], GRID[:, :, :, 0, :2].expand(2, 3, 4, 2) + x[0, 0], align_corners=False
    ),
    "padded with the nearest": lambda x: functional.pad(x[None], (2, -1, 1, 3), "replicate"),
    "uneven means": lambda x: functional.adaptive_avg_pool2d(x[None], (4, 3)),
    "log gamma": lambda x: torch.lgamma(x + 5),
    "digamma": lambda x: torch.digamma(x + 5),
    "trigamma": lambda x: torch.polygamma(1, x + 5),
    "zeta": lambda x: torch.special.zeta(torch.tensor(2.5), x + 5),
    "i0": torch.i0,
    "i1e": torch.special.i1e,
    "log_ndtr": torch.special.log_ndtr,
    "erfcx": torch.special.erfcx,
    "ndtri": lambda x: torch.special.ndtri(torch.sigmoid(x)),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_forwards(name):
    assert library_calls(agrees(captured("torch", PROGRAMS[name], X))) == []


@pytest.mark.parametrize(
    "name", thinned(GRADIENTS, kept=GRADIENTS.keys() - {"volumes, bilinear, zeros"})
)
def test_backwards(name):
    def loss(x):
        result = GRADIENTS[name](x)
        return (result[0] if isinstance(result, tuple) else result).sin().sum()

    assert library_calls(agrees(captured("torch", grad(loss), X))) == []


def test_a_negative_variance_is_no_loss():
    """torch raises an error, which a graph has not."""
    result = captured("torch", lambda x: functional.gaussian_nll_loss(x, x * 2, x), X)
    (loss,) = evaluate(result.graph, [x.numpy() for x in result.arguments])
    assert np.isnan(loss)


def test_the_lists_of_a_call_stay_what_they_are():
    """A decomposition writes into the lists that it is given."""
    mask, at = X > 0, [torch.arange(6)[:, None], torch.arange(8)]
    agrees(captured("torch", lambda x: torch.ops.aten._unsafe_masked_index(x, mask, at, 1.5), X))


@pytest.mark.parametrize("length", [*range(1, 20), 31, 32, 33, 39])
@pytest.mark.parametrize("right", [False, True])
def test_a_search_looks_at_the_elements_that_torch_looks_at(length, right):
    """In edges that are not sorted, or have NaN, that decides what is found."""
    edges = torch.randn(64, length)
    edges[::2] = edges[::2].sort(1).values
    edges[1::4, length // 2] = torch.nan
    edges[::4, -1] = torch.nan
    x = torch.cat([torch.randn(64, 8), edges, torch.full((64, 1), torch.nan)], 1)
    agrees(captured("torch", lambda x, e: torch.searchsorted(e, x, right=right), x, edges))
    agrees(captured("torch", lambda x, e: torch.bucketize(x, e, right=right), x, edges[1]))


SAMPLED = list(
    itertools.product((3, 2), ("bilinear", "nearest"), ("zeros", "border", "reflection"))
)
# Each padding of images, each number of dimensions, each mode.
MET = (
    (3, "nearest", "border"), (2, "bilinear", "zeros"), (2, "bilinear", "border"),
    (2, "bilinear", "reflection"), (2, "nearest", "reflection"),
)  # fmt: skip


@pytest.mark.parametrize(("dims", "mode", "padding"), thinned(SAMPLED, MET))
def test_places_that_are_no_numbers(dims, mode, padding):
    volume = VOLUME if dims == 3 else VOLUME[:, :, 0]
    grid = torch.linspace(-1.23, 1.17, 32 * dims).reshape(1, *[4] * (dims - 1), -1, dims)
    at = [i * dims + i % dims for i in (3, 10, 27)]
    grid.view(-1)[at] = torch.tensor([torch.nan, torch.inf, -torch.inf])
    for corners in (False, True):
        result = captured(
            "torch", lambda g, c=corners: functional.grid_sample(volume, g, mode, padding, c), grid
        )
        assert library_calls(agrees(result)) == []


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_places_in_an_image_of_16_bits_are_not_rounded_to_them(mode, dtype):
    image, grid = torch.randn(2, 3, 5, 20).to(dtype), (torch.rand(2, 13, 10, 2) * 3 - 1.5).to(dtype)

    def sampled(x, g):
        return functional.grid_sample(x, g, mode, align_corners=False)

    x, g = (each.double().requires_grad_() for each in (image, grid))
    exact = sampled(x, g)
    wanted = [exact, *torch.autograd.grad(exact.sum(), (x, g))]

    def both(x, g):
        gradient = grad(lambda x, g: sampled(x, g).float().sum(), (0, 1))
        return sampled(x, g), *gradient(x, g)

    result = captured("torch", both, image, grid)
    given = evaluate(result.graph, [to_numpy(x) for x in result.arguments])
    for found, right in zip(given, wanted, strict=True):
        off = np.abs(found.astype(np.float64) - right.detach().numpy()).max()
        assert off < 8e-3 * right.abs().max()


def test_an_image_of_16_bits_is_read_as_it_is_and_not_copied_into_f32():
    image, grid = torch.randn(2, 3, 5, 20).bfloat16(), torch.rand(2, 4, 6, 2).bfloat16()
    result = captured(
        "torch", lambda x, g: functional.grid_sample(x, g, align_corners=False), image, grid
    )
    gathers = [n for n in result.graph.operations if n.op == "gather"]
    assert gathers and all(str(n.types[0]).startswith("bf16") for n in gathers)


@pytest.mark.parametrize("volume", [VOLUME, VOLUME[:, :, 0]], ids=["volume", "image"])
def test_what_is_outside_of_an_image_with_infinities_adds_nothing(volume):
    dims = volume.dim() - 2
    grid = torch.linspace(-1.9, 1.7, 32 * dims).reshape(1, *[4] * (dims - 1), -1, dims)
    image = volume.clone()
    image.flatten(2)[..., 0] = torch.inf
    agrees(
        captured(
            "torch", lambda x, g: functional.grid_sample(x, g, align_corners=True), image, grid
        )
    )
