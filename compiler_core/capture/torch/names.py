"""Names of a program's inputs: those of its arguments, and of the tensors that it closes over."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from compiler_core.interop.private import pytree
from compiler_core.snippet import signature
from compiler_core.snippet.framework import names_in
from compiler_core.snippet.original import original

# The attributes that torch itself gives every module.
_OWN = frozenset(vars(torch.nn.Module()))


def argument_names(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> list[str]:
    """A name for each leaf of (args, kwargs), such as `x` or `params[0].w`."""
    names = []
    known = signature.argument_names(fn)
    for index, arg in enumerate(args):
        name = known[index] if index < len(known) else f"arg{index}"
        names += [name + path for path in _paths(arg)]
    for name, arg in kwargs.items():
        names += [name + path for path in _paths(arg)]
    return names


def _paths(arg: Any) -> list[str]:
    leaves, _ = pytree.tree_flatten_with_path(arg)
    return [_written(path) for path, _ in leaves]


def _written(path: Any) -> str:
    """Such as `[0].w`."""
    return str(pytree.keystr(path)).replace("'", "").replace('"', "")


def closed_over_names(fn: Callable[..., Any], args: tuple[Any, ...]) -> dict[int, str]:
    """Names, by identity, of the tensors that a function can reach without being passed them."""
    fn = original(fn)
    names: dict[int, str] = {}
    for prefix, value in surroundings(fn, args):
        if isinstance(value, torch.nn.Module):
            for name, tensor in kept_by(value):
                names.setdefault(id(tensor), f"{prefix}.{name}" if prefix else name)
        elif isinstance(value, torch.Tensor):
            names.setdefault(id(value), prefix)
    return names


def kept_by(module: torch.nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors of a module and of those inside it, by name: parameters, buffers, and what is
    only assigned, by itself or in a list, as caches of keys and values often are."""
    yield from module.named_parameters()
    yield from module.named_buffers()
    for path, owner in module.named_modules():
        for name, value in vars(owner).items():
            if name not in _OWN and isinstance(value, torch.Tensor | list | tuple | dict):
                leaves, _ = pytree.tree_flatten_with_path(value)
                at = f"{path}.{name}" if path else name
                for place, leaf in leaves:
                    if isinstance(leaf, torch.Tensor):
                        yield at + _written(place), leaf


def surroundings(fn: Callable[..., Any], args: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """(name, value) of everything that a function can reach without being passed it: globals,
    closure, the module that it is a method of, what another object of the snippet keeps."""
    if isinstance(fn, torch.nn.Module):
        yield "", fn
        fn = fn.forward
    bound = getattr(fn, "__self__", None)
    if isinstance(bound, torch.nn.Module | torch.optim.Optimizer):
        yield "", bound
    elif type(bound).__module__ == "__main__":
        yield from getattr(bound, "__dict__", {}).items()
    for arg in args:
        if isinstance(arg, torch.nn.Module):
            yield "", arg
    function = inspect.unwrap(getattr(fn, "__func__", fn))
    if inspect.isfunction(function):
        try:
            closure = inspect.getclosurevars(function)
        except ValueError:
            # A cell that is not filled yet.
            return
        yield from closure.nonlocals.items()
        yield from closure.globals.items()
        # What only a function inside it names, such as one that is given to checkpoint().
        inner = set(names_in(function.__code__)) - set(closure.globals)
        known = function.__globals__
        yield from ((name, known[name]) for name in sorted(inner) if name in known)
