"""torch.compile(model, backend="fuselab"), in a process that knows nothing of Fuselab but that it
is installed."""

import subprocess
import sys
import warnings

import pytest
import torch
from torch import nn

from compiler_core.api import dynamo_backend
from compiler_core.errors import Unsupported

pytestmark = pytest.mark.cpu

MODEL = nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))


def compiled(fn):
    return torch.compile(fn, backend=dynamo_backend.fuselab)


def test_it_is_found_by_its_name_in_another_process():
    code = (
        "from torch._dynamo.backends.registry import lookup_backend\n"
        "print(lookup_backend('fuselab').__module__)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd="/"
    )
    assert result.stdout == f"{dynamo_backend.__name__}\n", result.stderr
    f = torch.compile(lambda x: torch.relu(x) * 2, backend="fuselab")
    assert f(torch.tensor([-1.0, 3.0])).tolist() == [0.0, 6.0]


WEIGHT = nn.Parameter(torch.tensor(2.0))


def a_write_without_gradient(y):
    """To memory that an input shares which records one."""
    v = y.data
    if y.sum() > 1e9:
        return y
    v.neg_()
    return (y * WEIGHT).sum(), v


def a_write_over_what_a_gradient_needs(y):
    """Which is no error as long as nobody asks for the gradient."""
    x = y * WEIGHT
    z = torch.sigmoid(x) * x
    x.copy_(x.flip(0))
    return z, x


@pytest.mark.parametrize("f", [a_write_without_gradient, a_write_over_what_a_gradient_needs])
def test_what_autograd_has_no_graph_of_is_run_by_torch_and_said(f):
    with pytest.warns(dynamo_backend.FuselabFallback, match="AOTAutograd has no graph of the"):
        found = compiled(f)(torch.arange(4.0))
    assert all(map(torch.equal, found, f(torch.arange(4.0))))


def test_a_fault_of_ours_while_autograd_traces_is_no_refusal_of_its(monkeypatch):
    def fails(self, module, role):
        raise RuntimeError("ours")

    monkeypatch.setattr(dynamo_backend.Recorder, "_graph", fails)
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match="ours"):
        compiled(lambda x: x + 1)(torch.ones(2))


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.float64, torch.uint8])
def test_a_view_of_an_input_as_another_type_is_handed_on(dtype):
    x = torch.arange(24.0).reshape(4, 6)
    f = compiled(lambda x: (x[1:].view(dtype), x + 1))
    found, own = f(x)[0], x[1:].view(dtype)
    assert torch.equal(found, own) and found.data_ptr() == own.data_ptr()
    shared = compiled(lambda x, y: (y.view(dtype), x + y))(x, x[1:2])[0]
    assert torch.equal(shared, x[1:2].view(dtype)) and shared.data_ptr() == own.data_ptr()


def test_views_of_an_input_that_is_written_to_begin_where_they_did():
    def f(x):
        x.add_(1)
        return x, x[1:, ::2], x.t()[1:], x.diagonal(1), x.view(-1)[3:]

    x, other = (torch.arange(24.0).reshape(4, 6) for _ in range(2))
    found, own = compiled(f)(x), f(other)
    assert all(map(torch.equal, found, own))
    assert [t.storage_offset() for t in found] == [t.storage_offset() for t in own]


SHARED = {
    "the second": lambda x, y: (y.add_(1), x * 2),
    "a view of the first": lambda x, y: (x.add_(1) * 1, x[1:].t()),
    "a view of the second": lambda x, y: (x.sub_(1) * 1, y[..., 1:]),
}


@pytest.mark.parametrize("name", SHARED)
@pytest.mark.parametrize(
    "part", [lambda x: x[1:2], lambda x: x[:, 1:3]], ids=["a row", "two columns"]
)
@pytest.mark.filterwarnings("ignore::compiler_core.api.dynamo_backend.FuselabFallback")
def test_memory_that_two_inputs_share_is_written_to_and_handed_on(name, part):
    f = SHARED[name]
    x, other = (torch.arange(24.0).reshape(4, 6) for _ in range(2))
    found, own = compiled(f)(x, part(x)), f(other, part(other))
    assert all(map(torch.equal, found, own)) and torch.equal(x, other)
    begin = [[t.storage_offset() for t in each] for each in (found, own)]
    assert begin[0] == begin[1]


def test_a_model_computes_the_same():
    x = torch.rand(4, 6)
    with torch.no_grad():
        torch.testing.assert_close(compiled(MODEL)(x), MODEL(x))


def test_gradients_are_the_same():
    x = torch.rand(4, 6)

    def gradients(model):
        model(x).square().mean().backward()
        found = [p.grad.clone() for p in MODEL.parameters()]
        MODEL.zero_grad()
        return found

    for ours, theirs in zip(gradients(compiled(MODEL)), gradients(MODEL), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_other_shapes_are_compiled_when_they_come():
    model = compiled(MODEL)
    with torch.no_grad():
        for rows in (4, 5, 9, 5):
            x = torch.rand(rows, 6)
            torch.testing.assert_close(model(x), MODEL(x))


def test_python_between_the_graphs_runs(capsys):
    def f(x):
        y = x * 2
        if y.sum() > 0:
            sys.stdout.write("positive\n")
        return y + 1

    torch.testing.assert_close(compiled(f)(torch.ones(3)), torch.full((3,), 3.0))
    assert capsys.readouterr().out == "positive\n"


@pytest.mark.parametrize("layer", [nn.RNN, nn.GRU, nn.LSTM])
def test_a_recurrent_layer_is_compiled(monkeypatch, layer):
    made, compile_graph = [], dynamo_backend.compile_graph

    def counting(*given):
        made.append(given)
        return compile_graph(*given)

    monkeypatch.setattr(dynamo_backend, "compile_graph", counting)
    net, x = layer(6, 8), torch.rand(3, 2, 6)
    with torch.no_grad():
        torch.testing.assert_close(compiled(net)(x), net(x))
    assert len(made) == 1
    assert not torch._dynamo.config.allow_rnn, "what others compile is as it was"


def test_a_recurrent_layer_over_packed_sequences_computes_the_same():
    net, x = nn.GRU(6, 8), torch.rand(3, 2, 6)

    def f(x):
        packed = nn.utils.rnn.pack_padded_sequence(x * 2, torch.tensor([3, 2]))
        return net(packed)[1]

    with torch.no_grad():
        torch.testing.assert_close(compiled(f)(x), f(x))


def test_what_is_refused_is_run_by_torch_with_a_warning(monkeypatch):
    def refuse(graph, device):
        raise Unsupported("no kernel for this")

    monkeypatch.setattr(dynamo_backend, "compile_graph", refuse)
    with pytest.warns(
        dynamo_backend.FuselabFallback,
        match=r"of 2 .* no kernel for this\n  put what is refused in",
    ):
        result = compiled(lambda x: torch.sin(x) + 1)(torch.zeros(3))
    assert result.tolist() == [1, 1, 1]


QUANTIZED = {
    torch.qint8: lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize(),
    torch.quint8: lambda x: torch.quantize_per_tensor(x, 0.1, 9, torch.quint8).dequantize(),
    torch.qint32: lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.qint32).dequantize(),
    torch.quint4x2: lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint4x2).dequantize(),
    torch.quint2x4: lambda x: torch.quantize_per_tensor(x, 0.1, 0, torch.quint2x4).dequantize(),
}


@pytest.mark.parametrize("dtype", QUANTIZED, ids=str)
def test_a_quantized_tensor_is_made_by_torch_with_a_warning(dtype):
    f, x = QUANTIZED[dtype], torch.randn(4, 8)
    with pytest.warns(
        dynamo_backend.FuselabFallback, match=f"such as those of {dtype}, are not compiled"
    ):
        result = compiled(f)(x)
    assert torch.equal(result, f(x))


def test_a_fault_of_ours_is_said_to_be_one(monkeypatch):
    monkeypatch.setattr(dynamo_backend, "compile_graph", None)
    with pytest.warns(
        dynamo_backend.FuselabFallback, match=r"fault of Fuselab's: TypeError.*\n.*report it"
    ):
        compiled(lambda x: x + 1)(torch.zeros(3))


BY_VALUES = {
    "mask": lambda x: x[x > 0] * 2,
    "nonzero": lambda x: torch.nonzero(x > 0) + 1,
    "unique": lambda x: x.unique() * 2,
}


@pytest.mark.parametrize("name", BY_VALUES)
@pytest.mark.parametrize("whole", [True, False], ids=["fullgraph", "breaks_allowed"])
def test_a_size_that_depends_on_values_is_run_by_torch_with_a_warning(name, whole):
    program, x = BY_VALUES[name], torch.tensor([[1.0, -1.0, 2.0], [0.5, -0.5, 1.0]])
    with (
        torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error", dynamo_backend.FuselabSpecialised)
        fn = torch.compile(program, backend=dynamo_backend.fuselab, fullgraph=whole)
        with pytest.warns(dynamo_backend.FuselabFallback, match="depends on the values of tensors"):
            found = fn(x)
    torch.testing.assert_close(found, program(x))


def test_gradients_through_a_size_that_depends_on_values():
    x = torch.tensor([1.0, -1.0, 2.0], requires_grad=True)
    fn = torch.compile(BY_VALUES["mask"], backend=dynamo_backend.fuselab, fullgraph=True)
    with pytest.warns(dynamo_backend.FuselabFallback):
        fn(x).sum().backward()
    assert x.grad.tolist() == [2, 0, 2]


def test_a_graph_that_the_sizes_of_a_call_do_not_settle_is_run_by_torch(monkeypatch):
    def cannot(module, args):
        raise NotImplementedError("no form")

    monkeypatch.setattr("compiler_core.capture.torch.dynamo.aot.with_concrete_sizes", cannot)
    fn = torch.compile(
        lambda x: x[: int(0.25 * x.shape[0])] + 1, backend=dynamo_backend.fuselab, dynamic=True
    )
    with pytest.warns() as said:
        assert fn(torch.zeros(8)).shape == (2,)
    kinds = [w.category for w in said if "fuselab" in str(w.message)]
    assert kinds == [dynamo_backend.FuselabSpecialised, dynamo_backend.FuselabFallback]
    assert "no form" in str(said[-1].message)


def row_set(x):
    x = x.clone()
    x[0] = 3
    return x * 2


def mask_set(x):
    x = x.clone()
    x[x > 0] = 0.0
    return x


@pytest.mark.parametrize(
    "program",
    [
        lambda x: torch.softmax(x, -1),
        row_set,
        mask_set,
        lambda x: x * torch.tensor(2.0),
        lambda x: x[:, :1] + torch.tensor(3),
        lambda x: x * torch.tensor([1.0, 2.0, 3.0, 4.0]),
        lambda x: torch.view_as_real(x * torch.tensor(1j)),
    ],
    ids=["softmax", "row_set", "mask_set", "constant", "whole", "row_constant", "complex"],
)
def test_nothing_is_said_where_all_is_compiled(program):
    x = torch.linspace(-2, 3, 12).reshape(3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error", dynamo_backend.FuselabFallback)
        found = compiled(program)(x)
    torch.testing.assert_close(found, program(x))


@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        (lambda x: x.expand(3, 5), [(1, 5)]),
        (lambda x: x.expand(3, -1, 2), [(1, 1)]),
        (lambda x: torch.broadcast_to(x, (2, 3, 5)), [(3, 5)]),
        (lambda x: x[:, :, None].expand(3, 5, 2), [(3, 5)]),
        (lambda x, y: (x + 1).expand_as(y), [(1, 5), (3, 5)]),
        (lambda x: (x + 1).sum().expand(3), [(4,)]),
        (lambda x: (x * 2).unfold(0, 3, 1), [(6,)]),
    ],
    ids=["expand", "expand_two", "broadcast_to", "expand_last", "computed", "scalar", "windows"],
)
def test_a_result_whose_elements_share_memory_is_as_eager_gives_it(program, shapes):
    given = [torch.linspace(-1, 1, torch.Size(s).numel()).reshape(s) for s in shapes]
    found, expected = compiled(program)(*given), program(*given)
    torch.testing.assert_close(found, expected)
    assert found.stride() == expected.stride()
    memory = given[0].untyped_storage().data_ptr()
    assert (found.untyped_storage().data_ptr() == memory) == (
        expected.untyped_storage().data_ptr() == memory
    )
    assert found.untyped_storage().nbytes() == expected.untyped_storage().nbytes()


def test_expanded_results_have_gradients():
    def program(x):
        return x.sum(0, keepdim=True).expand(3, 4), x.sin()

    def run(fn):
        x = torch.linspace(-1, 1, 12).reshape(3, 4).requires_grad_()
        wide, wave = fn(x)
        (wide * wave).sum().backward()
        return wide.stride(), wide, x.grad

    ours, theirs = run(compiled(program)), run(program)
    assert ours[0] == theirs[0]
    torch.testing.assert_close(ours[1:], theirs[1:])


def test_expanded_results_of_other_sizes():
    program = torch.compile(
        lambda x: (x + 1)[:, None].expand(-1, 4), backend=dynamo_backend.fuselab, dynamic=True
    )
    for n in (3, 5):
        x = torch.linspace(0, 1, n)
        found = program(x)
        torch.testing.assert_close(found, (x + 1)[:, None].expand(-1, 4))
        assert found.stride() == (1, 0)


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        (lambda x: (x + 1, x * 2, torch.add(x, 1)), (4,)),
        (lambda x: (x + 1, (x + 1).contiguous()), (4,)),
        (lambda x: (x.exp(), x.sin()), (0, 3)),
    ],
    ids=["equal", "contiguous", "empty"],
)
@pytest.mark.parametrize("grad", [False, True])
def test_equal_results_are_tensors_of_their_own(program, shape, grad):
    x = torch.rand(shape, requires_grad=grad)
    found = [t.detach() for t in compiled(program)(x)]
    assert len({t.untyped_storage()._cdata for t in found}) == len(found)
    found[0].zero_()
    torch.testing.assert_close(found[1:], list(program(x))[1:])


def test_gradients_of_empty_results():
    def run(fn):
        x = torch.ones(0, 3, requires_grad=True)
        values, weights = fn(x)
        values.backward(weights)
        return x.grad

    def program(x):
        values = x / (x + 1)
        return values, values.detach().cos()

    assert torch.equal(run(compiled(program)), run(program))
