"""What a program may change besides its results: parameters, gradients, buffers, optimizer state.

The result of a program that trains depends on more than its arguments, so the state is restored
between runs that are compared.
"""

import copy
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import torch

from compiler_core.capture.torch.dynamo.bindings import Bindings
from compiler_core.capture.torch.dynamo.python_state import PythonState
from compiler_core.capture.torch.names import kept_by, surroundings
from compiler_core.interop.generators import Generators
from compiler_core.interop.private import pytree
from compiler_core.snippet.original import original
from compiler_core.snippet.source import is_own

# An optimizer's state, and the contents that it is to have.
Begun = tuple[dict[Any, Any], dict[Any, Any]]


class State:
    """The tensors that a program may change, with copies of their values at construction. `begun`
    is the state that optimizers are to have from their first step on."""

    def __init__(self, fn: Callable[..., Any], args: Any, begun: Sequence[Begun] = ()) -> None:
        self._begun = [kept for kept, _ in begun]
        for kept, values in begun:
            kept.update(values)
        self.tensors = list(_reachable(fn, args))
        self._before = [_Before.of(t) for t in self.tensors]
        self._bindings = bindings(fn, args)
        self._generators = generators(fn, args)
        self._kept = [(o.state, _structure(dict(o.state))) for o in optimizers(fn, args)]
        self._settings = [(space, _fresh(settings)) for space, settings in _settings(fn, args)]
        self._python = python_state(fn, args)

    def restore(self) -> None:
        """Copies the values back into the same tensors, and restores the attributes of modules, the
        rest of the optimizers' state (step counts, learning rates, lists of tensors), that of
        schedulers and scalers, the random generators, and the program's Python state."""
        self._bindings.restore()
        self._generators.restore()
        for kept, before in self._kept:
            kept.clear()
            kept.update(_structure(before))
        for space, settings in self._settings:
            space.update(_fresh(settings))
        self._python.restore()
        with torch.no_grad():
            for tensor, before in zip(self.tensors, self._before, strict=True):
                before.put_back(tensor)

    def leave(self) -> None:
        """Restores the state, and empties what optimizers have begun to keep."""
        self.restore()
        for kept in self._begun:
            kept.clear()

    def begun(self) -> list[Begun]:
        """The state of optimizers that kept nothing at construction, if it consists of tensors
        alone."""
        now = [(kept, _structure(dict(kept))) for kept, before in self._kept if not before]
        return [(kept, each) for kept, each in now if _is_of_tensors(each)]

    def has_overflowed(self) -> bool:
        """Whether runs have turned finite numbers into infinities or NaN."""
        return any(
            not _is_finite(now) and _is_finite(before.values)
            for now, before in zip(self.tensors, self._before, strict=True)
        )

    def change(self, changed: Callable[[torch.Tensor], torch.Tensor]) -> None:
        """Puts other values of the same shape and type into the tensors and their gradients."""
        for tensor in self.now():
            tensor.copy_(changed(tensor))

    def now(self) -> list[torch.Tensor]:
        """All of these tensors and their gradients, with their current values, and the tensors that
        have been assigned to attributes of modules since."""
        gradients = [t.grad for t in self.tensors if t.is_leaf and t.grad is not None]
        return [t.detach() for t in (*self.tensors, *gradients, *self._bindings.given())]

    @contextmanager
    def in_float64(self) -> Iterator[None]:
        """Context in which floating-point tensors and their gradients are float64, and complex ones
        complex128."""
        self.restore()
        originals = [(t, t.data, t.grad) for t in self.tensors if _is_rounded(t)]
        try:
            for tensor, data, grad in originals:
                tensor.grad = None
                tensor.data = _upcast(data)
                tensor.grad = None if grad is None else _upcast(grad)
            yield
        finally:
            self._bindings.restore()
            self._python.restore()
            for tensor, data, grad in originals:
                tensor.grad = None
                tensor.data = data
                tensor.grad = grad


def _is_of_tensors(kept: Any) -> bool:
    return all(isinstance(x, torch.Tensor) for x in pytree.tree_leaves(list(kept.values())))


def _is_rounded(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _upcast(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def bindings(fn: Callable[..., Any], args: Any) -> Bindings:
    """The attributes of the modules that a program reaches."""
    return Bindings(modules(fn, args))


def generators(fn: Callable[..., Any], args: Any) -> Generators:
    """The random generators, other than torch's, that a program may draw from."""
    return Generators(_values(fn, args))


def python_state(fn: Callable[..., Any], args: Any) -> PythonState:
    """The program's Python state: what it keeps beside tensors."""
    return PythonState(original(fn), _values(fn, args))


def modules(fn: Callable[..., Any], args: Any) -> Collection[torch.nn.Module]:
    """The modules that a program reaches, each once."""
    reached = (v for v in _values(fn, args) if isinstance(v, torch.nn.Module))
    return {id(m): m for each in reached for m in each.modules()}.values()


def _structure(value: Any) -> Any:
    """A copy of dicts and lists, with the same tensors in them."""
    if isinstance(value, dict):
        return {key: _structure(each) for key, each in value.items()}
    return [_structure(each) for each in value] if isinstance(value, list) else value


def _settings(fn: Callable[..., Any], args: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """What optimizers, their schedulers and scalers of gradients keep beside the tensors that they
    change: the namespaces, and what of them is to be put back."""
    for value in _values(fn, args):
        if isinstance(value, torch.optim.Optimizer):
            for group in value.param_groups:
                plain = {k: v for k, v in group.items() if not _has_tensors(v)}
                yield group, plain
        elif isinstance(value, torch.optim.lr_scheduler.LRScheduler | torch.amp.GradScaler):
            yield vars(value), vars(value)


def _has_tensors(value: Any) -> bool:
    return any(isinstance(x, torch.Tensor) for x in pytree.tree_leaves(value))


def _fresh(value: Any) -> Any:
    """A copy of dicts, of their own class, lists and tensors."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        new = copy.copy(value)
        new.update((key, _fresh(each)) for key, each in value.items())
        return new
    return [_fresh(each) for each in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class _Before:
    """A tensor's values, and its gradient with its own."""

    values: torch.Tensor
    grad: torch.Tensor | None
    grad_values: torch.Tensor | None

    @classmethod
    def of(cls, tensor: torch.Tensor) -> "_Before":
        grad = tensor.grad if tensor.is_leaf else None
        return cls(tensor.detach().clone(), grad, None if grad is None else grad.detach().clone())

    def put_back(self, tensor: torch.Tensor) -> None:
        tensor.data.copy_(self.values)
        if tensor.is_leaf:
            tensor.grad = self.grad
            if self.grad is not None:
                self.grad.data.copy_(self.grad_values)


def _is_finite(tensor: torch.Tensor) -> bool:
    return bool(torch.isfinite(tensor.detach()).all())


def _reachable(fn: Callable[..., Any], args: Any) -> Iterator[torch.Tensor]:
    """Each tensor once: of modules, of optimizers, and those that the function names itself."""
    found = {id(t): t for value in _values(fn, args) for t in _tensors_of(value)}
    yield from found.values()


def _tensors_of(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.nn.Module):
        yield from (tensor for _, tensor in kept_by(value))
    elif isinstance(value, torch.optim.Optimizer):
        for group in value.param_groups:
            yield from group["params"]
        kept = pytree.tree_leaves(list(value.state.values()))
        yield from (x for x in kept if isinstance(x, torch.Tensor))
    elif isinstance(value, torch.Tensor):
        yield value
    elif type(value) in (list, tuple, dict):
        yield from (x for x in pytree.tree_leaves(value) if isinstance(x, torch.Tensor))


def _values(fn: Callable[..., Any], args: Any) -> Iterator[Any]:
    """What a program names, and what it is given beside tensors; also through the functions of
    the snippet that it calls."""
    fn = original(fn)
    known: set[int] = {id(fn)}
    waiting: list[Callable[..., Any]] = [fn]
    while waiting:
        for _, value in surroundings(waiting.pop(), ()):
            if _is_own_function(value) and id(value) not in known:
                known.add(id(value))
                waiting.append(value)
            yield value
    yield from (x for x in pytree.tree_leaves(args) if not isinstance(x, torch.Tensor))


def _is_own_function(value: Any) -> bool:
    return isinstance(value, FunctionType) and is_own(value.__code__.co_filename)


def optimizers(fn: Callable[..., Any], args: Any) -> list[torch.optim.Optimizer]:
    """The optimizers that a program refers to or takes as arguments."""
    return [value for value in _values(fn, args) if isinstance(value, torch.optim.Optimizer)]


def owners(fn: Callable[..., Any], args: Any) -> dict[str, str]:
    """The class names of a program's optimizers, by the torch file that defines their step:
    {"adam": "AdamW"}. Files that several optimizers share are left out."""
    found = [(_file(base), type(o)) for o in optimizers(fn, args) for base in type(o).__mro__]
    kinds = {file: {kind for at, kind in found if at == file} for file, _ in found}
    return {file: one.__name__ for file, (one, *others) in kinds.items() if not others}


def _file(kind: type) -> str:
    return kind.__module__.rpartition(".")[2]


def has_optimizer(fn: Callable[..., Any], args: Any) -> bool:
    """Whether a program refers to an optimizer or takes one as an argument."""
    return bool(optimizers(fn, args))
