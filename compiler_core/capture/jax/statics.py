"""The static arguments of a call through jax.jit, apart from those that it traces; and numbers
drawn from Python's and NumPy's generators, which are static too, since JAX draws them once, while
it traces."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from compiler_core.interop.generators import Generators
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.signature import argument_names


class Statics:
    """A program's call, split: `args` and `kwargs` are traced; `fixed` has the positions of static
    arguments among all positional ones, 0-based, and `named` the static keyword arguments."""

    def __init__(self, program: FoundProgram) -> None:
        self.program = program
        count = len(program.args)
        fixed = {n % count for n in program.static_argnums if -count <= n < count}
        names = set(program.static_argnames) | _names_at(program, program.static_argnums)
        positions = _positions_of(program, program.static_argnames)
        self.fixed = sorted(fixed | {p for p in positions if p < count})
        self.args = tuple(a for i, a in enumerate(program.args) if i not in self.fixed)
        self.kwargs = {k: v for k, v in program.kwargs.items() if k not in names}
        self.named = {k: v for k, v in program.kwargs.items() if k in names}
        self._generators, self._draws = Generators(_referred(program.fn)), False

    def were_traced(self) -> None:
        """Called once the program has been traced: if it drew random numbers then, every later call
        draws the same ones."""
        self._draws = self._generators.drawn()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the program with these traced arguments and its own static ones."""
        if self._draws:
            self._generators.restore()
        traced, whole = iter(args), list(self.program.args)
        for index in range(len(whole)):
            if index not in self.fixed:
                whole[index] = next(traced)
        return self.program.fn(*whole, **kwargs, **self.named)


def _names_at(program: FoundProgram, positions: Sequence[int]) -> set[str]:
    known = argument_names(program.fn)
    return {known[p] for p in positions if -len(known) <= p < len(known)}


def _positions_of(program: FoundProgram, names: Sequence[str]) -> set[int]:
    known = argument_names(program.fn)
    return {known.index(n) for n in names if n in known}


def _referred(fn: Callable[..., Any]) -> Iterator[Any]:
    """What a function refers to by name."""
    fn = inspect.unwrap(fn)
    if inspect.isfunction(fn):
        names = inspect.getclosurevars(fn)
        yield from (*names.nonlocals.values(), *names.globals.values())
