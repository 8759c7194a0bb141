"""What torch.export is given: the program as a module, its arguments, and which sizes vary."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import Dim

from compiler_core.interop.private import pytree
from compiler_core.reference.export.private import no_modules_left
from compiler_core.snippet.program import FoundProgram


@dataclass(frozen=True)
class Call:
    """`dynamic` has, for each argument, its sizes that vary, by axis; None if none does. What the
    snippet itself gives torch.export is given as it is."""

    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    dynamic: Any

    def export(self, *, strict: bool) -> Any:
        """A torch.export.ExportedProgram. Raises what torch raises."""
        kwargs = dict(self.kwargs)
        with no_modules_left():
            return torch.export.export(
                self.module, self.args, kwargs, dynamic_shapes=self.dynamic, strict=strict
            )


def call_of(program: FoundProgram) -> Call:
    """The program's own call, on copies of its tensors."""
    leaves, structure = pytree.tree_flatten((tuple(program.args), dict(program.kwargs)))
    copies = [x.detach().clone() if isinstance(x, torch.Tensor) else x for x in leaves]
    args, kwargs = pytree.tree_unflatten(copies, structure)
    return Call(_module(program.fn), args, kwargs, _dynamic(program, leaves, structure))


def _module(fn: Any) -> torch.nn.Module:
    if isinstance(fn, torch.nn.Module):
        return fn
    module = torch.nn.Module()
    module.forward = fn
    return module


def _dynamic(program: FoundProgram, leaves: list[Any], structure: Any) -> Any:
    if program.shapes is not None or not any(any(names) for names in program.sizes):
        return program.shapes
    sizes = iter(program.sizes)
    shapes = [
        {axis: _size(program, n) for axis, n in enumerate(next(sizes)) if n} or None
        if isinstance(x, torch.Tensor)
        else None
        for x in leaves
    ]
    args, kwargs = pytree.tree_unflatten(shapes, structure)
    return dict(zip(_names(program), args, strict=False)) | kwargs


def _size(program: FoundProgram, name: str) -> Any:
    """Within the bounds that the snippet gives it. What else the program asks of it, torch finds
    out: with a Dim it would have to be said here."""
    least, most = program.ranges.get(name, (None, None))
    return Dim.DYNAMIC(min=least, max=most)


def _names(program: FoundProgram) -> list[str]:
    fn = program.fn.forward if isinstance(program.fn, torch.nn.Module) else program.fn
    return list(inspect.signature(fn).parameters)
