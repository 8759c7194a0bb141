"""What running snippets uses of torch and JAX that they do not promise, in one place; a test looks
up each name (tests/project/test_private_names.py). Modes that are left on: modes.py. Either is
imported when one is called: a snippet may be of the other alone."""

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


def has_started() -> bool:
    """Whether JAX has made its devices."""
    from jax._src import xla_bridge

    return xla_bridge.backends_are_initialized()


def meshes_now() -> tuple[Any, Any]:
    """What `jax.set_mesh` and what `with mesh:` have set, also within a trace; empty meshes where
    they have set none."""
    from jax._src import mesh

    return mesh.get_concrete_mesh(), mesh.thread_resources.env.physical_mesh
