"""The names of torch and JAX that running snippets uses and that they do not promise, in one place;
a test looks up each (tests/project/test_private_names.py). Modes that are left active: modes.py.
Each framework is imported only when a function needs it, since a snippet may use the other
alone."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager
from functools import cache
from types import CodeType
from typing import Any
from unittest import mock


def constructors() -> Set[Callable[..., Any]]:
    """torch's functions that create tensors on their argument `device`."""
    from torch.utils._device import _device_constructors

    return _device_constructors()


def module_call() -> CodeType:
    """The code object that runs first when a module is called."""
    import torch

    return torch.nn.Module._wrapped_call_impl.__code__


def is_transformed(tensor: Any) -> bool:
    """Whether a tensor is a wrapper within vmap or grad."""
    import torch

    return torch._C._functorch.is_functorch_wrapped_tensor(tensor)


def within(tensor: Any) -> Any:
    """The tensor that a wrapper of grad, vjp or jvp contains; `tensor` itself within vmap, whose
    wrapper stands for several."""
    import torch

    inner = torch._C._functorch
    while inner.is_functorch_wrapped_tensor(tensor) and not inner.is_batchedtensor(tensor):
        tensor = inner.get_unwrapped(tensor)
    return tensor


@cache
def transforms() -> Mapping[CodeType, str]:
    """The names of torch.func's transformations, by the code object of the functions that they
    return."""
    import torch

    names = ("grad", "grad_and_value", "jacfwd", "jacrev", "vmap")
    constants = ((name, getattr(torch.func, name).__code__.co_consts) for name in names)
    return {
        c: n for n, consts in constants for c in consts if isinstance(c, CodeType) and c.co_freevars
    }


def transformed_again(code: CodeType, values: Mapping[str, Any]) -> Callable[..., Any]:
    """The transformed function whose call runs `code` with these local values, created anew."""
    import torch

    transform: Callable[..., Callable[..., Any]] = getattr(torch.func, transforms()[code])
    given = inspect.signature(transform).parameters.keys() & set(code.co_freevars)
    return transform(**{name: values[name] for name in given})


def has_started() -> bool:
    """Whether JAX has made its devices."""
    from jax._src import xla_bridge

    return xla_bridge.backends_are_initialized()


def meshes_now() -> tuple[Any, Any]:
    """What `jax.set_mesh` and what `with mesh:` have set, also within a trace; empty meshes where
    they have set none."""
    from jax._src import mesh

    return mesh.get_concrete_mesh(), mesh.thread_resources.env.physical_mesh


@contextmanager
def xla_given(options: Mapping[str, Any], wanted: Callable[[], bool]) -> Iterator[None]:
    """Context in which XLA compiles for the CPU with `options`, as with jit's `compiler_options`,
    everything that JAX compiles while `wanted()` is true."""
    from jax._src import compiler

    real = compiler.get_compile_options

    def chosen(*args: Any, backend: Any = None, **given: Any) -> Any:
        if backend is not None and backend.platform == "cpu" and wanted():
            own = given.get("env_options_overrides") or {}
            given["env_options_overrides"] = {**options, **own}
        return real(*args, backend=backend, **given)

    with mock.patch.object(compiler, "get_compile_options", chosen):
        yield


@contextmanager
def whole_tracebacks() -> Iterator[None]:
    """Context in which JAX leaves its own frames in tracebacks. To take them out it asks the file
    system for each frame, which is a sixth of what many calls that fail take."""
    import jax

    before = jax.config.jax_traceback_filtering
    jax.config.update("jax_traceback_filtering", "off")
    try:
        yield
    finally:
        jax.config.update("jax_traceback_filtering", before)


@contextmanager
def arguments_validated() -> Iterator[None]:
    """Context in which torch's distributions validate their arguments and name what is out of
    range, as they do until TorchDynamo first compiles in a process."""
    from torch.distributions import Distribution

    before = Distribution._validate_args
    Distribution.set_default_validate_args(True)
    try:
        yield
    finally:
        Distribution.set_default_validate_args(before)
