"""torch.compile(model, backend="fuselab", dynamic=True): compiled once, called with many sizes."""

import warnings

import pytest
import torch
from torch import nn
from torch.nn import functional

from compiler_core.api import dynamo_backend
from compiler_core.api.dynamo_backend import FuselabFallback, FuselabSpecialised

pytestmark = pytest.mark.cpu

BATCHES = (5, 9, 32, 700)


@pytest.fixture(autouse=True)
def _forget():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def compilations(monkeypatch):
    """The graphs that have been compiled."""
    graphs, compile_graph = [], dynamo_backend.compile_graph

    def counted(captured, device):
        graphs.append(captured.graph)
        return compile_graph(captured, device)

    monkeypatch.setattr(dynamo_backend, "compile_graph", counted)
    return graphs


def compiled(fn, dynamic: bool | None = True):
    return torch.compile(fn, backend=dynamo_backend.fuselab, dynamic=dynamic)


def mlp():
    return nn.Sequential(nn.Linear(64, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8))


PROGRAMS = {
    "bias and gelu": lambda x: functional.gelu(x + x[0]),
    "softmax over rows": lambda x: torch.softmax(x, -1),
    "mean over the batch": lambda x: x.mean(0),
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


class Block(nn.Module):
    """A transformer block of 4 heads."""

    def __init__(self):
        super().__init__()
        self.into, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.first, self.second = nn.LayerNorm(32), nn.LayerNorm(32)
        self.mlp = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32))

    def forward(self, x):
        many, length, width = x.shape
        heads = self.into(self.first(x)).view(many, length, 3, 4, 8).permute(2, 0, 3, 1, 4)
        y = functional.scaled_dot_product_attention(*heads, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(many, length, width))
        return x + self.mlp(self.second(x))


def cnn(norm=nn.Identity):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), norm(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 12, 3, stride=2, groups=4), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(12, 10),
    )  # fmt: skip


def images(batch: int) -> torch.Tensor:
    return torch.rand(batch, 3, 12, 13)


def rows(batch: int) -> torch.Tensor:
    """Of different numbers each."""
    return torch.rand(batch, 100).argsort(1) * torch.ones(100)


# What computes, and the inputs of a batch.
TEMPLATES = {
    "convolution": (nn.Conv2d(3, 8, 3, stride=2, padding=1), images),
    "convolution along one axis": (nn.Conv1d(12, 5, 3), lambda n: torch.rand(n, 12, 13)),
    "transposed convolution": (nn.ConvTranspose2d(3, 8, 3, stride=2), images),
    "largest of windows": (nn.MaxPool2d(3, stride=2, padding=1, return_indices=True), images),
    "mean of windows": (nn.AvgPool2d(3, stride=2, padding=1, count_include_pad=False), images),
    "sort": (lambda x: torch.sort(x, 1), rows),
    "sort of columns": (lambda x: torch.sort(x[:, :8].contiguous().t(), 1), rows),
    "greatest seven": (lambda x: torch.topk(x, 7), rows),
    "attention": (
        lambda x: functional.scaled_dot_product_attention(x, x, x),
        lambda n: torch.rand(n, 2, 9, 8),
    ),
    "attention over positions": (
        lambda x: functional.scaled_dot_product_attention(x, x, x, is_causal=True),
        lambda n: torch.rand(2, 2, n, 8),
    ),
    "embedding": (nn.Embedding(50, 16), lambda n: torch.randint(0, 50, (n, 7))),
    "layer norm": (nn.LayerNorm(16), lambda n: torch.rand(n, 16)),
    "convolutional network": (cnn(nn.BatchNorm2d).eval(), images),
    "transformer block": (Block(), lambda n: torch.rand(n, 9, 32)),
    "transformer block over positions": (Block(), lambda n: torch.rand(2, n, 32)),
}
# torch itself has one graph for images up to 15 and one from 16 on: it asks for a library's sake.
MANY = (16, 17, 50)


@pytest.mark.parametrize("name", TEMPLATES)
def test_one_compilation_of_a_template_serves_every_batch(name, compilations):
    fn, inputs = TEMPLATES[name]
    ours = compiled(fn, dynamic=None)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("error", FuselabSpecialised)
        warnings.simplefilter("error", FuselabFallback)
        for batch in MANY:
            x = inputs(batch)
            torch._dynamo.mark_dynamic(x, x.shape.index(batch))
            torch.testing.assert_close(ours(x), fn(x), rtol=1e-4, atol=1e-5)
    assert len(compilations) == 1


@pytest.mark.parametrize("model", [cnn, Block], ids=["convolutional network", "transformer block"])
def test_the_gradients_of_a_model_are_compiled_once(model, compilations):
    own = model()
    ours = compiled(own, dynamic=None)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FuselabSpecialised)
        for batch in MANY:
            x = images(batch) if model is cnn else torch.rand(batch, 9, 32)
            torch._dynamo.mark_dynamic(x, 0)
            for found, wanted in zip(gradients(ours, x), gradients(own, x), strict=True):
                torch.testing.assert_close(found, wanted, rtol=1e-3, atol=1e-5)
    assert len(compilations) == 2


@pytest.mark.parametrize("name", ["convolution", "sort", "attention", "transformer block"])
def test_a_batch_of_one_after_others_is_right(name):
    fn, inputs = TEMPLATES[name]
    ours = compiled(fn, dynamic=None)
    for batch in (16, 1, 17):
        x = inputs(batch)
        with torch.no_grad():
            torch.testing.assert_close(ours(x), fn(x), rtol=1e-4, atol=1e-5)


def gradients(model, x):
    model(x).square().mean().backward()
    found = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    return found


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


def test_an_expression_of_a_whole_number_is_compiled_for_each():
    ours = compiled(lambda x, k: x * (2 * k + 1), dynamic=True)
    x = torch.rand(7, 64)
    with pytest.warns(FuselabSpecialised, match="may be negative, and is part of an expression"):
        for k in (3, -4):
            torch.testing.assert_close(ours(x, k), x * (2 * k + 1))


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
        " is S",
    ),
    "windows that are rounded up": (
        lambda x: functional.max_pool2d(x[None], 3, 2, ceil_mode=True),
        r"whether -S.* >= 1 depends on the size",
    ),
    "a middle that no slice says": (lambda x: x.median(0).values, "a number is needed, and a size"),
    "the smaller of two": (lambda x: torch.linalg.qr(x).R, r"whether S.* >= 6\d depends on the"),
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
