"""torch.compile(model, backend="fuselab", dynamic=True): compiled once, called with many sizes."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional

from compiler_core.api.dynamo_backend import FuselabFallback, FuselabSpecialised
from tests.compiler_core.api.dynamic import compiled, gradients

pytestmark = pytest.mark.cpu

BATCHES = (5, 9, 32, 700)


def mlp():
    return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8))


PROGRAMS = {
    "bias and gelu": lambda x: functional.gelu(x + x[0]),
    "softmax over rows": lambda x: torch.softmax(x, -1),
    "mean over the batch": lambda x: x.mean(0),
    "the place of the largest of all": lambda x: x.argmax(),
    "variance over the batch": lambda x: x.var(0),
    "norm": lambda x: functional.layer_norm(x, (64,)),
    "all but the first and the last": lambda x: x[1:-1] * 2,
    "one after the other": lambda x: torch.cat([x, x * 2]),
    "the number of each row": lambda x: x + torch.arange(x.shape[0])[:, None],
    "rows by their numbers": lambda x: x[(x[:, 0] * 2).long()],
    "the logarithm of one class": lambda x: functional.cross_entropy(x, x[:, 0].long()),
}


@pytest.mark.parametrize("fn", PROGRAMS.values(), ids=PROGRAMS)
def test_one_compilation_serves_every_batch(fn, compilations):
    ours = compiled(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for batch in BATCHES:
            x = torch.rand(batch, 64)
            torch.testing.assert_close(ours(x), fn(x))
    assert len(compilations) == 1


def test_a_view_by_half_of_a_size_serves_all_even_ones(compilations):
    def pairs(x):
        return x.view(x.shape[0] // 2, 2) * 2

    ours = compiled(pairs)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for count in (8, 10, 700):
            x = torch.rand(count)
            torch.testing.assert_close(ours(x), pairs(x))
    assert len(compilations) == 1


# What is asked of a size that is a symbol, and cannot be said of each.
PER_SIZE = {
    "half of a row": lambda x: torch.topk(x, x.shape[1] // 2)[0],
    "rows as wide as the sum": lambda x: torch.zeros(5, 64).index_add(0, torch.tensor([1, 1]), x),
}


@pytest.mark.parametrize("fn", PER_SIZE.values(), ids=PER_SIZE)
def test_what_needs_the_number_is_compiled_for_each_size(fn, compilations):
    ours = compiled(fn)
    shapes = [(2, 64), (2, 8)] if fn is PER_SIZE["half of a row"] else [(2, 64)]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for shape in shapes:
            x = torch.rand(shape)
            torch.testing.assert_close(ours(x), fn(x))
    assert {w.category for w in said if "fuselab" in str(w.message)} == {FuselabSpecialised}
    assert len(compilations) >= len(shapes)


def test_a_training_step_is_one_forward_and_one_backward_graph_for_every_batch(compilations):
    model = mlp()
    ours = compiled(model)
    for batch in BATCHES:
        x = torch.rand(batch, 64)
        for own, theirs in zip(gradients(ours, x), gradients(model, x), strict=True):
            torch.testing.assert_close(own, theirs, rtol=1e-4, atol=1e-5)
    assert len(compilations) == 2


def test_a_second_batch_makes_the_size_a_symbol_and_a_third_compiles_nothing(compilations):
    ours = compiled(torch.relu, dynamic=None)
    for batch, result in zip(BATCHES, (1, 2, 2, 2), strict=True):
        ours(torch.rand(batch, 64))
        assert len(compilations) == result


def test_a_dimension_that_is_marked_is_a_symbol_from_the_start(compilations):
    ours = compiled(torch.relu, dynamic=None)
    for batch in BATCHES:
        x = torch.rand(batch, 64)
        torch._dynamo.mark_dynamic(x, 0)
        torch.testing.assert_close(ours(x), torch.relu(x))
    (graph,) = compilations
    (value,) = graph.inputs
    batch, columns = value.type.shape
    assert str(batch).startswith("S") and columns == 64


def test_a_whole_number_is_an_input_like_any_other(compilations):
    ours = compiled(lambda x, k: (x * k + k - 1).sum(), dynamic=True)
    x = torch.rand(7, 64)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in (3, 5, -4, 1000):
            torch.testing.assert_close(ours(x, k), (x * k + k - 1).sum())
    assert len(compilations) == 1


EXPRESSIONS = {
    "a sum": lambda x, k: x * (2 * k + 1) + (k * k - 3),
    "a quotient": lambda x, k: x + k // 3,
    "a remainder": lambda x, k: x + (k + 1) % 5,
    "with a size": lambda x, k: x + (k - x.shape[0]),
    "the number alone": lambda x, k: (x + 1, k + 1, k * 3),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("recorded", [False, True], ids=["", "with gradients"])
def test_what_is_computed_of_whole_numbers_is_computed_at_the_call(name, recorded, compilations):
    fn = EXPRESSIONS[name]
    ours = compiled(fn, dynamic=True)
    x = torch.rand(7, 64, requires_grad=recorded)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in (3, -4, 1000):
            torch.testing.assert_close(ours(x, k), fn(x, k))
    assert len(compilations) == 1 + recorded


def test_a_loop_that_counts_between_graphs_is_compiled_once_for_all_counts(compilations):
    """TorchDynamo gives the rest of the loop the number as a symbol, and wants the next one."""

    def f(x):
        count = 0
        while count < 40 and x.sum() > 0:
            count += 1
            x = x * (count % 7 + 1) - count
        return x, count

    x = torch.full((3,), 9.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FuselabSpecialised)
        torch.testing.assert_close(compiled(f)(x), f(x))


def test_what_is_lowered_for_numbers_alone_is_compiled_for_each_and_no_fault_is_told():
    rolled = torch.compile(lambda x, n: x.roll(n, 0), backend="fuselab")
    x = torch.arange(8.0)
    rolled(x, 1)
    with pytest.warns(FuselabSpecialised, match="anew: one of its operations is lowered for num"):
        rolled(x, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FuselabFallback)
        assert all(torch.equal(rolled(x, n), x.roll(n, 0)) for n in (2, 3, -2))


def test_what_torch_asks_of_a_number_is_said_in_words(capfd):
    """Whether the divisor is 0, which torch logs and refuses in its own words."""
    ours = compiled(lambda x, n: x.view(x.shape[0] // n, n, 64) * 2, dynamic=True)
    x = torch.rand(12, 64)
    with pytest.warns(FuselabSpecialised, match="anew: torch asks whether n is 0, and goes"):
        for n in (4, 3):
            torch.testing.assert_close(ours(x, n), x.view(-1, n, 64) * 2)
    assert "evaluate_expr" not in capfd.readouterr().err


# Programs that halve, split and round their sizes, and two rows of sizes: of the second, each graph
# is one that dynamo has guarded anew.
QUOTIENTS = {
    "rows by fours": (lambda x: x.view(-1, 4, x.shape[1]).sum(0), (8, 12, 700)),
    "the first half": (lambda x: x[: x.shape[0] // 2] * 2, BATCHES),
    "every other row": (lambda x: x[::2] * 2, BATCHES),
    "two chunks": (lambda x: torch.cat([c * 2 for c in x.chunk(2)][::-1]), BATCHES),
    "up to a multiple of four": (
        lambda x: functional.pad(x, (0, 0, 0, -x.shape[0] % 4)).view(-1, 4, 64).sum(1), (5, 9, 701)
    ),
    "the middle of each column": (lambda x: x.median(0).values, BATCHES),
    "the diagonal of a square": (lambda x: (x @ x.t()).diagonal(1) * 2, BATCHES),
    "largest of windows over rows": (
        lambda x: functional.max_pool2d(x[None, None], 3, 2, 1), BATCHES
    ),
    "mean of windows over rows": (
        lambda x: functional.avg_pool2d(x[None, None], 2, ceil_mode=False), BATCHES
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTIENTS)
def test_a_program_that_divides_a_size_is_compiled_once(name, compilations):
    fn, batches = QUOTIENTS[name]
    ours = compiled(fn, dynamic=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FuselabSpecialised)
        for batch in batches:
            x = torch.rand(batch, 64)
            torch._dynamo.mark_dynamic(x, 0)
            torch.testing.assert_close(ours(x), fn(x))
    assert len(compilations) == 1


# What needs the number of a size, and in which words that is said.
SPECIALISED = {
    "convolution along the size": (
        lambda x: functional.conv1d(x.t()[None], torch.ones(2, 64, 3)),
        "the image, the window and the features of a convolution are made for numbers, and a size"
        r" is x\.shape\[0\]",
    ),
    "windows that are rounded up": (
        lambda x: functional.max_pool2d(x[None], 3, 2, ceil_mode=True),
        r"whether -.*x\.shape\[0\].* >= 1 depends on the size",
    ),
    "places in an order": (
        lambda x: torch.searchsorted(x[:, 0].sort().values, x[0]),
        r"the steps of a binary search are made for numbers, and a size is x\.shape\[0\]",
    ),
    "the smaller of two": (
        lambda x: torch.linalg.qr(x).R, r"whether x\.shape\[0\] >= 6\d depends on the"
    ),
    "a share": (
        lambda x: x[: int(0.25 * x.shape[0])] * 2,
        "a number made of a size, and none itself, is known only at the call",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECIALISED)
def test_a_graph_that_needs_numbers_is_compiled_for_each_size_and_says_why(name, compilations):
    fn, why = SPECIALISED[name]
    ours = compiled(fn, dynamic=None)
    with pytest.warns(FuselabSpecialised, match=f"is compiled for each size anew: .*({why})"):
        for batch in (8, 12, 8):
            x = torch.rand(batch, 64)
            torch._dynamo.mark_dynamic(x, 0)
            torch.testing.assert_close(ours(x), fn(x), rtol=1e-4, atol=1e-5)
    assert len(compilations) == 2
