"""Arguments like those of an earlier call: told of all of them at once, and of no others."""

import pytest
import torch

from compiler_core.interop.alike import Alike


def tensors() -> list[torch.Tensor]:
    return [torch.rand(4, 3), torch.rand(5), torch.nn.Parameter(torch.rand(2))]


@pytest.fixture
def alike() -> Alike:
    found = Alike()
    found.learn(tensors())
    return found


def test_others_of_the_same_form_are_alike(alike):
    assert alike(tensors())


def test_nothing_is_alike_before_anything_is_learnt():
    assert not Alike()(tensors()) and not Alike()([])


@pytest.mark.parametrize(
    "other",
    [
        torch.rand(4, 2),
        torch.rand(3, 4).T,
        torch.rand(4, 3, dtype=torch.float64),
        torch.empty(4, 3, device="meta"),
        torch._neg_view(torch.rand(4, 3)),
        torch._efficientzerotensor(4, 3),
        torch.rand(4, 3).to_sparse(),
        torch.nn.Parameter(torch.rand(4, 3)),
        torch.rand(4, 3).numpy(),
    ],
    ids=["sizes", "strides", "dtype", "device", "negated", "zero", "sparse", "type", "no tensor"],
)
def test_what_differs_in_one_respect_is_not_alike(alike, other):
    assert not alike([other, *tensors()[1:]])


def test_fewer_or_more_are_not_alike(alike):
    assert not alike(tensors()[:2]) and not alike([*tensors(), torch.rand(1)])


def test_a_tensor_of_another_type_of_ones_own_is_not_learnt():
    class Own(torch.Tensor):
        pass

    found = Alike()
    found.learn([torch.rand(2).as_subclass(Own)])
    assert not found([torch.rand(2).as_subclass(Own)])


def test_what_always_differs_is_no_longer_learnt():
    found, twice = Alike(), [torch.rand(2)] * 2
    for _ in range(50):
        found.learn(twice)
        assert not found(twice)
    found.learn(tensors())
    assert not found(tensors())


def test_tensors_that_were_learnt_are_not_kept_alive():
    import gc
    import weakref

    found, given = Alike(), tensors()
    found.learn(given)
    kept = [weakref.ref(x) for x in given]
    del given
    gc.collect()
    assert not any(ref() is not None for ref in kept)
