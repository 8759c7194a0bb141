"""The values that JAX computes for every captured operation of a program."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend import core

from compiler_core.capture.captured import Visit, Watch
from compiler_core.capture.jax.calls import CALLS
from compiler_core.capture.jax.float64 import InFloat64, packed
from compiler_core.capture.jax.traces import Traces
from compiler_core.errors import NoReference


def watched(
    traces: Traces,
    in_float64: InFloat64,
    call: Callable[[Sequence[Any]], tuple[tuple[Any, ...], dict[str, Any]]],
    numbers: Sequence[int],
) -> Watch:
    """The watch of a program: a function that calls a visitor with the results of each captured
    operation. `call` gives the arguments of the program for flat inputs; `numbers` are the ids of
    its equations' captured operations, in order. The watch raises NoReference if the program cannot
    be run so, or if it then has other equations."""

    def watch(flat: Sequence[Any], exact: bool, visit: Visit) -> None:
        args, kwargs = call(flat)
        try:
            found: Iterable[list[Any]] = (
                in_float64.each_equation(args, kwargs) if exact else _each(traces, args, kwargs)
            )
            for number, results in zip(numbers, found, strict=True):
                visit(number, results)
        except Exception as error:
            raise NoReference(error) from error

    return watch


def _each(traces: Traces, args: Sequence[Any], kwargs: dict[str, Any]) -> Iterator[list[Any]]:
    """As each_equation, in the program's own types: one call of XLA for each equation."""
    closed = traces.of(args, kwargs).closed
    given = [jax.numpy.asarray(x) for x in jax.tree.leaves((tuple(args), kwargs))]
    yield from map(packed, _walked(closed.jaxpr, closed.consts, given, []))


def _walked(
    jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], out: list[Any]
) -> Iterator[list[Any]]:
    """The results of each equation; those of the whole are put into `out`."""
    env: dict[Any, Any] = dict(zip(jaxpr.constvars, consts, strict=True))
    env.update(zip(jaxpr.invars, args, strict=True))

    def read(atom: Any) -> Any:
        if isinstance(atom, core.Literal):
            return np.asarray(atom.val, atom.aval.dtype)
        return env[atom]

    for eqn in jaxpr.eqns:
        operands, results = [*map(read, eqn.invars)], list[Any]()
        name = eqn.primitive.name
        if name in CALLS:
            inner = eqn.params[CALLS[name]]
            program, own = getattr(inner, "jaxpr", inner), getattr(inner, "consts", ())
            yield from _walked(program, own, operands, results)
        elif eqn.outvars:
            results = _computed(eqn, operands)
            yield results
        env.update(zip(eqn.outvars, results, strict=True))
    out += map(read, jaxpr.outvars)


def _computed(eqn: Any, operands: list[Any]) -> list[Any]:
    result = eqn.primitive.bind(*operands, **eqn.primitive.get_bind_params(eqn.params))
    return list(result) if eqn.primitive.multiple_results else [result]
