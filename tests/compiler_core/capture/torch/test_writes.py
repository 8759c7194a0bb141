"""Writes in place, views and mutated inputs: a graph has none, and computes the same."""

import pytest
import torch
from torch import nn

from compiler_core.errors import CaptureError
from compiler_core.ir.eval_torch import evaluate
from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

X = torch.linspace(-3, 3, 24).reshape(4, 6)


def in_place(x):
    y = x * 2
    y += 1
    y.relu_()
    return y


def through_a_view(x):
    y = x.clone()
    y[1] = 7
    y[:, ::2] *= 3
    y.t()[0].add_(1)
    return y


def a_view_sees_a_later_write(x):
    y = x.clone()
    row = y[2]
    y.mul_(2)
    return row + 1


def a_view_of_a_view(x):
    y = x.clone()
    y.view(2, 2, 6)[1][0].zero_()
    return y


def diagonals(x):
    y = x.clone()
    y.diagonal().zero_()
    y.diagonal(-2).add_(1)
    y.view(2, 2, 6).diagonal(3, dim1=2, dim2=0).mul_(3)
    return y


def squeezed(x):
    y = x.unsqueeze(0) + 1
    y.squeeze_(0)
    return y * 2


def assigned(x):
    y = torch.zeros(4, 6)
    y[1:3, 2:5] = x[1:3, 2:5]
    return y


def into_out(x):
    y = torch.empty(4, 6)
    torch.add(x, 1, out=y)
    return y


def into_an_empty_out(x):
    y = torch.empty(0)
    torch.add(x, 1, out=y)
    torch.mul(x[:2], y[:2], out=(z := torch.empty(0)))
    return y, z


def made_smaller(x):
    y = x + 1
    y.resize_(2, 3)
    y[1, 2] = 9
    return y * 2, y.resize_(3)


def made_larger(x):
    y = torch.zeros(3)
    y.resize_as_(x)
    y.copy_(x)
    return y.sin(), (x[0] * 2).resize_(4, 6)[0], torch.empty(0).resize_(2, 2).fill_(3)


def of_the_same_size(x):
    return (x + 1).t().resize_(6, 4)


def index_added(x):
    y = x.clone()
    y.index_add_(0, torch.tensor([2, 0, 2]), x[:3], alpha=2)
    return y


def index_added_in_columns(x):
    return x.index_add(-1, torch.tensor([1, 5]), x[:, 3:5])


def index_copied(x):
    y = x.clone()
    y.index_copy_(1, torch.tensor([2, 0]), x[:, 4:])
    return y


def masked(x):
    y = x.clone()
    y[y > 0] = 0.0
    return y


def masked_rows(x):
    y = x.clone()
    y[x[:, 0] > 0] = x[0].sin()
    return y


def masked_columns(x):
    y = x.clone()
    y[:, x[0] > -2.5] = x[:, :1]
    return y


@pytest.mark.parametrize(
    "program",
    [in_place, through_a_view, a_view_sees_a_later_write, a_view_of_a_view, squeezed, assigned,
     diagonals, into_out, into_an_empty_out, made_smaller, made_larger, of_the_same_size,
     index_added, index_added_in_columns, index_copied, masked, masked_rows, masked_columns],
)  # fmt: skip
def test_writes_to_locals(program):
    assert library_calls(agrees(captured("torch", program, X.clone()))) == []


def test_as_many_values_as_the_mask_has_true_go_there_in_order():
    def program(x):
        y = torch.zeros(3)
        y[torch.tensor([True, False, True])] = x[0, :2]
        return y

    assert library_calls(agrees(captured("torch", program, X.clone()))) == []


@pytest.mark.parametrize(
    "wrong", ["x.resize_(9, 9)", "x.t().resize_(9, 9)", "torch.outer(x[0] + 1, x[0] + 1, out=x)"]
)
def test_what_makes_a_tensor_of_others_larger_is_refused(wrong):
    with pytest.raises(CaptureError, match="larger") as refused:
        captured("torch", lambda x: eval(wrong).sum(), X.clone())
    assert refused.value.remedy


def test_an_input_that_is_written_to_is_a_further_output():
    def step(weight, grad):
        weight.sub_(grad * 0.1)
        return weight.sum()

    result = agrees(captured("torch", step, X.clone(), X.sin()))
    assert result.written == ("weight",)
    assert len(result.graph.outputs) == 2


def test_eager_leaves_written_inputs_as_they_were():
    given = X.clone()
    result = captured("torch", lambda x: x.add_(1), given)
    result.eager(result.arguments)
    assert torch.equal(given, X)


def test_batch_norm_in_training_gives_its_new_statistics():
    norm = nn.BatchNorm1d(6)
    result = agrees(captured("torch", norm, X))
    assert library_calls(result) == []
    assert set(result.written) == {"num_batches_tracked", "running_mean", "running_var"}
    assert norm.num_batches_tracked.item() == 0


def test_a_compiled_module_is_run_in_the_place_of_one_that_writes():
    norm = nn.BatchNorm1d(6)
    result = captured("torch", norm, X)
    compiled = torch.compile(norm, backend="eager")
    own = result.eager(result.arguments)
    assert all(map(torch.equal, result.by(compiled, result.arguments), own))


def test_what_an_operation_in_place_returns_beside_what_it_writes():
    """rrelu_with_noise writes the slopes that it draws, and returns the result: two tensors."""

    def f(x):
        noise = torch.empty_like(x)
        return torch.ops.aten.rrelu_with_noise(x, noise, 0.1, 0.3, True), noise

    result = captured("torch", f, X)
    torch.manual_seed(1)
    want = f(X)
    torch.manual_seed(1)
    got = evaluate(result.graph, list(result.arguments))
    assert all(torch.equal(x, y) for x, y in zip(got, want, strict=True))


def test_a_sum_of_bools_without_its_second_term():
    x, y = X > 0, X > 1
    agrees(captured("torch", lambda x, y: torch.add(x, y, alpha=False), x, y))


def test_a_program_that_seeds_is_no_single_graph():
    """What it does to the generator is Python's to do, between the graphs."""

    def f(x):
        torch.manual_seed(3)
        return x + torch.randn(4, 6)

    assert [g.role for g in captured("torch", f, X).graphs] == ["piece"]


def _lists(x):
    y = [x * 1, x + 1]
    torch._foreach_add_(y, [x, x], alpha=2)
    torch._foreach_addcmul_(y, y, [x, x], [2.0, 3.0])
    torch._foreach_clamp_min_(y, -1.0)
    return y


def _fused(x, step):
    state = [[x * k, x + k] for k in (1, 0, 0, 0)]
    weights, means, squares, largest = state
    squares[0].abs_()
    squares[1].abs_()
    step(
        weights, [x, x], means, squares, largest, [torch.tensor(1.0), torch.tensor(3.0)], lr=0.1,
        beta1=0.9, beta2=0.99, weight_decay=0.01, eps=1e-8, amsgrad=True, maximize=True,
    )  # fmt: skip
    return state


def _descent(x):
    weights, momenta = [x * 1, x + 1], [x * 3, x * 2]
    torch._fused_sgd_(
        weights, [x, x], momenta, weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0.2,
        nesterov=True, maximize=False, is_first_step=False,
    )  # fmt: skip
    return weights, momenta


LISTS = {
    "one after another": _lists,
    "Adam": lambda x: _fused(x, torch._fused_adam_),
    "AdamW": lambda x: _fused(x, torch._fused_adamw_),
    "SGD": _descent,
}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_tensors_are_written_to(name):
    assert library_calls(agrees(captured("torch", LISTS[name], X.clone()))) == []


def test_a_write_without_a_result_is_the_librarys_where_it_has_no_rule():
    def program(x):
        y = [x * 1, x + 1]
        torch._amp_foreach_non_finite_check_and_unscale_(y, torch.zeros(1), torch.tensor(2.0))
        return y

    assert library_calls(agrees(captured("torch", program, X.clone()))) != []


def test_writes_of_compositions_are_native():
    def program(x):
        y = x * 1
        y.masked_scatter_(x > 0, x * 2)
        y.put_(torch.tensor([0, 3]), torch.tensor([7.0, 8.0]))
        return y

    assert library_calls(agrees(captured("torch", program, X.clone()))) == []


VIEWS = {
    "windows": lambda x: x.unfold(1, 2, 3)[:, 0].mul_(3),
    "diagonals": lambda x: (x.diagonal(1).fill_(7), x.diagonal(-1).add_(1)),
    "bits": lambda x: x.view(torch.int32).add_(1),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_write_to_a_view_is_one_to_its_base(name):
    def program(x):
        y = x * 1
        VIEWS[name](y)
        return y

    assert library_calls(agrees(captured("torch", program, X.clone()))) == []


def test_a_write_to_windows_that_overlap_is_refused():
    with pytest.raises(CaptureError, match="whose windows overlap"):
        captured("torch", lambda x: (x * 1).unfold(1, 2, 1)[:, 0].mul_(3), X.clone())


def test_a_program_may_write_and_return_nothing():
    """As an optimizer of one's own does."""

    def step(weights, gradients):
        for weight, gradient in zip(weights, gradients, strict=True):
            weight.sub_(0.1 * gradient)

    weights = [torch.ones(3), torch.ones(2, 2)]
    result = captured("torch", step, weights, [torch.ones(3), torch.arange(4.0).view(2, 2)])
    assert len(result.written) == 2 and result.session is None
    agrees(result)
