"""torch's reads and writes at computed places, its sorting, scans and pooling: native operations
that give what eager gives, at sizes 0 and 1, at negative indices, and their gradients."""

import pytest
import torch
from torch.nn import functional as F

from tests.compiler_core.capture.oracle import agrees, captured, library_calls
from tests.sweep_plugin import crossed

pytestmark = pytest.mark.cpu

I64 = torch.int64


def rand(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape))).to(dtype)


def native(fn, *args):
    result = agrees(captured("torch", fn, *args))
    assert library_calls(result) == []
    return result


ROWS = [
    torch.tensor([0, 2, 2, 1]),
    torch.tensor([[1], [0]]),
    torch.zeros(0, dtype=I64),
    torch.tensor(2),
    torch.tensor([1, 0], dtype=torch.int32),
]


NOTHING = {
    "index_select": lambda x, i: x.index_select(1, i),
    "an index": lambda x, i: x[:, i],
    "two indices": lambda x, i: x[i, i],
    "take_along_dim": lambda x, i: x.take_along_dim(i[None], 1),
    "embedding": lambda x, i: F.embedding(i, x.mT),
    "index_put": lambda x, i: x.index_put((i, i), x.new_zeros(0)),
}


@pytest.mark.parametrize("name", NOTHING)
def test_nothing_is_read_at_no_indices_where_there_is_nothing(name):
    native(NOTHING[name], torch.zeros(3, 0), torch.zeros(0, dtype=I64))


@pytest.mark.parametrize("indices", ROWS, ids=lambda x: f"{tuple(x.shape)}-{x.dtype}")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, I64])
def test_embedding(indices, dtype):
    native(lambda w, i: F.embedding(i, w), (rand(3, 4) * 9).to(dtype), indices)


@pytest.mark.parametrize("padding", [None, 1, -1])
def test_the_gradient_of_an_embedding_adds_up_what_was_read(padding):
    def step(weight, indices, grad):
        weight = weight.detach().requires_grad_()
        (F.embedding(indices, weight, padding) * grad).sum().backward()
        return weight.grad

    indices = torch.tensor([[0, 2, 2], [1, 2, 0]])
    result = agrees(captured("torch", step, rand(3, 4), indices, rand(2, 3, 4)))
    assert library_calls(result) == []


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_index_select(dim):
    native(lambda x, i: x.index_select(dim, i), rand(3, 4), torch.tensor([2, 0, 0]))
    native(lambda x, i: x.index_select(dim, i), rand(1, 1), torch.tensor([0]))


def test_gather_of_fewer_rows_than_there_are():
    native(lambda x, i: x.gather(1, i), rand(3, 4), torch.tensor([[0, 3], [1, 1]]))
    native(lambda x, i: x.gather(0, i), rand(3, 4), torch.zeros(0, 4, dtype=I64))


@pytest.mark.parametrize("dim", [0, 1])
def test_take_along_dim(dim):
    native(lambda x, i: torch.take_along_dim(x, i, dim), rand(4, 4), rand(4, 4).argsort(dim))


ADVANCED = {
    "rows": lambda x, i, j: x[i],
    "negative": lambda x, i, j: x[i - 3],
    "two": lambda x, i, j: x[i, j],
    "apart": lambda x, i, j: x[i, :, j],
    "together-behind": lambda x, i, j: x[:, i, j],
    "broadcast": lambda x, i, j: x[i[:, None], j[None, :]],
    "with-a-slice": lambda x, i, j: x[1:, i],
    "a-number-and-indices": lambda x, i, j: x[0, i],
}


@pytest.mark.parametrize("name", ADVANCED)
def test_advanced_indexing(name):
    i, j = torch.tensor([0, 2, 1, 2]), torch.tensor([1, 1, 0, 2])
    native(ADVANCED[name], rand(3, 3, 3), i, j)


def test_index_put_of_nothing_where_a_mask_holds_nowhere():
    native(lambda x, v: x.index_put((x > 9,), v), rand(3, 4), torch.zeros(0))


@pytest.mark.parametrize("accumulate", [False, True])
def test_index_put(accumulate):
    def program(x, i, j, v):
        return x.index_put((i, j), v, accumulate=accumulate)

    i = torch.tensor([0, -1, 1] if not accumulate else [0, -1, 2])
    native(program, rand(3, 4), i, torch.tensor([1, 0, -1]), rand(3))
    native(program, rand(3, 4, 2), i, torch.tensor([1, 0, -1]), rand(3, 2))


def test_assignment_at_indices():
    def program(x, i):
        x = x.clone()
        x[i] = 0.0
        x[:, i] += 1.0
        return x

    native(program, rand(3, 3), torch.tensor([0, 2]))


@pytest.mark.parametrize("reduce", ["sum", "prod", "amax", "amin"])
def test_scatter_reduce(reduce):
    indices = torch.tensor([[0, 2, 0], [1, 1, 1]])
    native(lambda x, i, s: x.scatter_reduce(1, i, s, reduce), rand(2, 3), indices, rand(2, 3))


def test_scatter_and_scatter_add():
    indices = torch.tensor([[2, 0, 1], [1, 2, 0]])
    native(lambda x, i, s: x.scatter(1, i, s), rand(2, 4), indices, rand(2, 3))
    native(lambda x, i: x.scatter(1, i, 7.0), rand(2, 4), indices)
    native(lambda x, i, s: x.scatter_add(1, i, s), rand(2, 4), indices, rand(3, 5)[:2])


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("weighted", [False, True])
def test_cross_entropy(reduction, weighted):
    def program(x, target, weight):
        return F.cross_entropy(x, target, weight if weighted else None, reduction=reduction)

    target = torch.tensor([0, 4, -100, 2])
    native(program, rand(4, 5), target, rand(5).abs())


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_of_no_samples(reduction):
    def f(x, target):
        return F.cross_entropy(x, target, reduction=reduction)

    native(f, torch.zeros(0, 5), torch.zeros(0, dtype=I64))


def test_the_gradient_of_cross_entropy():
    def step(x, target):
        x = x.detach().requires_grad_()
        F.cross_entropy(x, target).backward()
        return x.grad

    native(step, rand(4, 5), torch.tensor([0, 4, 1, 2]))


# -- order


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dim", [0, -1])
def test_sort(dim, descending):
    x = rand(4, 5).round()
    native(lambda x: torch.sort(x, dim=dim, descending=descending, stable=True), x)
    native(lambda x: torch.argsort(x, dim=dim, descending=descending), rand(4, 5))
    native(lambda x: x.sort(), rand(3, 0))


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_topk(dim, largest):
    native(lambda x: torch.topk(x, 2, dim=dim, largest=largest), rand(4, 5))


@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_kth_value(dim, keepdim):
    native(lambda x: torch.kthvalue(x, 2, dim, keepdim), rand(4, 5))


@pytest.mark.parametrize("median", [torch.median, torch.nanmedian])
@pytest.mark.parametrize("dim", [0, 1])
def test_median(median, dim):
    x = rand(5, 6)
    native(lambda x: (*median(x, dim), median(x)), x)
    native(lambda x: median(x, dim, True), torch.randperm(30).view(5, 6))
    for row, many in ((0, 1), (1, 4), (2, 6)):
        x[row, :many] = torch.nan
    native(lambda x: (median(x, dim).values, median(x)), x)


def test_the_median_of_a_row_with_nans_is_the_first_of_them():
    x = torch.tensor([[1.0, torch.nan, 2.0, torch.nan]])
    native(lambda x: torch.median(x, 1), x)


@pytest.mark.parametrize("of", [torch.median, lambda x, d: torch.kthvalue(x, 2, d), torch.msort])
def test_gradients_of_order(of):
    def step(x):
        x = x.detach().requires_grad_()
        result = of(x) if of is torch.msort else of(x, 1)[0]
        (result * torch.arange(result.numel()).view(result.shape)).sum().backward()
        return x.grad

    native(step, rand(4, 5))


def test_programs_of_one_element():
    native(lambda x: (x.sort().values, x.topk(1).indices), rand(1))
    native(lambda x: x.sort().values, torch.tensor(3.0))


# -- running results


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "cummin", "logcumsumexp"])
@pytest.mark.parametrize("shape", [(3, 7), (1,), (2, 0), ()])
def test_running_results(name, shape):
    native(lambda x: getattr(torch, name)(x, -1 if shape else 0), rand(*shape))


def test_a_running_maximum_of_equals_and_of_nan():
    x = torch.tensor([1.0, 1.0, 0.0, float("nan"), 2.0, float("nan"), 3.0])
    native(lambda x: torch.cummax(x, 0), x)
    native(lambda x: torch.logcumsumexp(x, 0), torch.tensor([-float("inf")] * 2 + [0.0, 1e4]))


# -- windows

POOLS = {
    "2": (2,), "3-by-1": (3, 1), "padded": (3, 2, 1), "overlapping": (3, 2),
    "oblong": ((2, 3), (1, 2), (0, 1)),
}  # fmt: skip


@pytest.mark.parametrize("sizes", POOLS.values(), ids=POOLS)
def test_pooling(sizes):
    x = rand(2, 3, 7, 8)
    native(lambda x: F.max_pool2d(x, *sizes), x)
    native(lambda x: F.max_pool2d(x, *sizes, return_indices=True), x)
    native(lambda x: F.avg_pool2d(x, *sizes), x)
    native(lambda x: F.avg_pool2d(x, *sizes, count_include_pad=False), x)


def test_pooling_rounded_up_dilated_and_in_one_dimension():
    native(lambda x: F.max_pool2d(x, 3, 2, ceil_mode=True), rand(1, 2, 6, 8))
    native(lambda x: F.max_pool2d(x, 2, 1, dilation=2), rand(2, 6, 7))
    native(lambda x: F.max_pool1d(x, 2), rand(2, 3, 7))
    native(lambda x: F.avg_pool1d(x, 3, 1, 1), rand(2, 3, 7))


@pytest.mark.parametrize(
    ("sizes", "pool"), crossed([(2,), (3, 2, 1), (3, 1)], [F.avg_pool2d, F.max_pool2d])
)
def test_the_gradient_of_pooling(pool, sizes):
    def step(x, grad):
        x = x.detach().requires_grad_()
        (pool(x, *sizes) * grad).sum().backward()
        return x.grad

    x = rand(2, 3, 7, 8)
    native(step, x, torch.ones_like(pool(x, *sizes)) * 2)


AT = torch.tensor(-2)
SCALARS = {
    "a row": lambda x, t: x[t],
    "a column": lambda x, t: x[:, t],
    "behind an ellipsis": lambda x, t: x[..., t, None],
    "two places": lambda x, t: x[t, 1:, t + 1],
    "beside a number": lambda x, t: x[0, t],
    "a small integer": lambda x, t: x[t.to(torch.int32)],
    "what is read is given on": lambda x, t: x[t].t()[1] * 2,
}


@pytest.mark.parametrize("read", SCALARS.values(), ids=SCALARS)
def test_a_tensor_without_dimensions_is_a_place(read):
    result = native(read, rand(3, 4, 5), AT)
    assert len(result.graphs) == 1 and result.session is None


def _row(x, t):
    x = x.clone()
    x[t] = 7
    return x


def _columns(x, t):
    x = x * 1
    x[:, t] = torch.arange(3).view(1, 3, 1)
    return x


def _added(x, t):
    x = x + 0
    x[t, 0] += 1
    return x


@pytest.mark.parametrize("write", [_row, _columns, _added], ids=lambda f: f.__name__)
def test_a_tensor_without_dimensions_is_written_at(write):
    assert native(write, rand(3, 4, 5), AT).session is None


def test_a_write_into_what_was_taken_at_a_place_reaches_the_whole():
    def step(x, t):
        x = x.clone()
        x[t].mul_(3)
        return x

    agrees(captured("torch", step, rand(3, 4), AT))
