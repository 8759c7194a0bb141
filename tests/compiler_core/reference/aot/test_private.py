"""What the installed torch has of what is asked: a release that names it otherwise fails here."""

import inspect

import pytest
import torch
from torch._functorch._aot_autograd.schemas import MutationType
from torch.utils.checkpoint import CheckpointPolicy

from compiler_core.reference.aot import private, writes

pytestmark = pytest.mark.null


def test_the_partitioner_knows_the_kinds_of_operations():
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    product = graph.call_function(torch.ops.aten.mm.default, (x, x))
    view = graph.call_function(torch.ops.aten.permute.default, (x, [1, 0]))
    kinds = private.kinds()
    assert kinds.is_compute_intensive(product) and kinds.is_view(view)
    assert not kinds.is_random(product) and not kinds.is_view(product)


def test_it_is_called_with_the_number_of_the_programs_own_outputs():
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    assert "num_fwd_outputs" in inspect.signature(min_cut_rematerialization_partition).parameters


def test_mutations_and_policies_have_the_names_that_are_read():
    assert {"NOT_MUTATED", "MUTATED_IN_GRAPH", "MUTATED_OUT_GRAPH"} <= {
        m.name for m in MutationType
    }
    assert {"MUST_SAVE", "MUST_RECOMPUTE", "PREFER_SAVE"} <= {p.name for p in CheckpointPolicy}


def in_place(x, out):
    y = x.clone()
    y += 1
    y[0] = 2
    y.mul_(3)
    torch.nn.functional.relu(y, inplace=True)
    torch.add(y, 1, out=out)
    return y.__add__(1) + y.add(1)


def test_writes_in_place_are_found_by_the_conventions_of_torch_and_python():
    def shown(module, examples):
        found.extend(write.what for write in writes.operations(module))
        return module.forward

    found: list[str] = []
    torch.compile(in_place, backend=shown)(torch.ones(2), torch.ones(2))
    torch._dynamo.reset()
    assert found == [
        "iadd", "setitem", ".mul_", "torch.nn.functional.relu", "torch.add",
    ]  # fmt: skip
