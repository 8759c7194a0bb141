"""`custom_linear_solve`: of its four programs, only the one that solves runs forward; the others
serve derivatives, which are taken before a program is captured."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from compiler_core.capture.jax.calls import CALLS
from compiler_core.capture.jax.control import TABLE as LOOPS
from compiler_core.capture.jax.control import programs_of
from compiler_core.capture.jax.platforms import of_platform
from compiler_core.capture.jax.traced import Traced

_NAME = "custom_linear_solve"


def solve_of(
    eqn: Any, args: Sequence[Traced], known: Callable[[Any], object]
) -> tuple[Any, list[Traced]] | None:
    """The program that solves, with its arguments among `args`; None for any other equation, and if
    `known` is false for an operation in that program: a factorization is a library's, and the whole
    is then one library call."""
    if eqn.primitive.name != _NAME:
        return None
    solve, lengths = eqn.params["jaxprs"].solve, eqn.params["const_lengths"]
    if not all(known(x) for x in _operations(solve)):
        return None
    first = lengths.matvec + lengths.vecmat
    own = args[first : first + lengths.solve]
    return solve, [*own, *args[sum(lengths) :]]


def _operations(program: Any) -> Iterator[Any]:
    """The equations of a program that are no calls of others, those of the programs that it calls
    with them."""
    for eqn in getattr(program, "jaxpr", program).eqns:
        if eqn.primitive.name in CALLS:
            yield from _operations(eqn.params[CALLS[eqn.primitive.name]])
        elif eqn.primitive.name == _NAME:
            yield from _operations(eqn.params["jaxprs"].solve)
        elif (branch := of_platform(eqn)) is not None:
            yield from _operations(branch)
        elif eqn.primitive.name in LOOPS:
            for inner in programs_of(eqn):
                yield from _operations(inner)
        else:
            yield eqn
