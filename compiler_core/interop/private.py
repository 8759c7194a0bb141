"""The names of torch that several rooms use and that torch does not promise, in one place; a test
looks up each (tests/project/test_private_names.py). Those that a single room uses are in its own
`private.py`."""

import torch
from torch._C._dynamo.guards import TensorGuards
from torch._ops import HigherOrderOperator, OpOverload
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes

# Context without dispatch modes.
without_modes = _disable_current_modes
# The number of references to a storage, by its address in `_cdata`.
use_count = torch._C._storage_Use_Count
# Whether a tensor is lazily zero.
is_zero_tensor = torch.Tensor._is_zerotensor

__all__ = [
    "FakeTensor",
    "FakeTensorMode",
    "HigherOrderOperator",
    "OpOverload",
    "TensorGuards",
    "TorchDispatchMode",
    "is_zero_tensor",
    "pytree",
    "use_count",
    "without_modes",
]
