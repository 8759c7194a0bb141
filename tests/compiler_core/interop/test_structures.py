"""What a torch program returns, taken apart to leaves and put together again."""

from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import torch
from torch.distributions import Normal

from compiler_core.interop.structures import flatten, leaves_of


@dataclass(frozen=True)
class Output:
    logits: torch.Tensor
    loss: torch.Tensor | None = None


ONE, TWO = torch.tensor(1.0), torch.tensor(2.0)


def test_a_dataclass_is_opened_and_rebuilt():
    leaves, rebuild = flatten({"out": [Output(ONE)], "n": 3})
    assert leaves == [ONE, None, 3]
    assert rebuild([TWO, ONE, 4]) == {"out": [Output(TWO, ONE)], "n": 4}


@pytest.mark.parametrize("record", [SimpleNamespace(a=ONE, b=(TWO,)), Output(ONE, Output(TWO))])
def test_records_may_hold_structures_and_records(record):
    assert [x for x in leaves_of(record) if x is not None] == [ONE, TWO]


def test_a_distribution_is_opened():
    leaves, rebuild = flatten(Normal(ONE, TWO))
    swapped = {ONE: TWO, TWO: ONE}
    made = rebuild([swapped[x] if isinstance(x, torch.Tensor) else x for x in leaves])
    assert (made.loc, made.scale) == (TWO, ONE)


def test_a_module_or_a_class_is_a_leaf():
    layer = torch.nn.Linear(2, 2)
    assert leaves_of([layer, Output]) == [layer, Output]
