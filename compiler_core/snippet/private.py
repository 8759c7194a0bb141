"""What running snippets uses of torch that it does not promise, in one place; a test looks up each
name (tests/project/test_private_names.py). Modes that are left on: modes.py. torch is imported
when one is called: a snippet may be of JAX alone."""

from collections.abc import Callable, Set
from types import CodeType
from typing import Any


def constructors() -> Set[Callable[..., Any]]:
    """The functions that make tensors on a device of their argument `device`."""
    from torch.utils._device import _device_constructors

    return _device_constructors()


def module_call() -> CodeType:
    """What runs first when a module is called."""
    import torch

    return torch.nn.Module._wrapped_call_impl.__code__


def is_transformed(tensor: Any) -> bool:
    """Whether a tensor stands for others within vmap or grad."""
    import torch

    return torch._C._functorch.is_functorch_wrapped_tensor(tensor)
