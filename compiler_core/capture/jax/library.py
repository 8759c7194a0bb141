"""Primitives that stay JAX's own: labelled library calls, with the reason."""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import core

from compiler_core.capture.jax.types import type_of
from compiler_core.interop.packed import is_complex, is_float8, is_key, pack, unpack
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.library import Callee

_REASONS = {
    "random_bits": "draws random numbers",
    "pure_callback": "calls Python on the host",
    "io_callback": "calls Python on the host",
}


_PACKED = {
    is_key: " of keys",
    is_complex: " of complex numbers",
    is_float8: " of 8-bit floats",
}


def call(b: Builder, eqn: Any, operands: Sequence[Value], why: str = "") -> tuple[Value, ...]:
    """A library call of the equation's primitive. `operands` are the values of the equation's
    variables, without its literals; `why` is the reason where the primitive's name does not say
    enough."""
    avals = [v.aval for v in _variables(eqn)]
    results = [v.aval for v in eqn.outvars]

    def run(*arrays: Any) -> Any:
        values = [unpack(a, aval) for a, aval in zip(arrays, avals, strict=True)]
        evaluated = _evaluate(eqn, values)
        packed = tuple(pack(v, aval) for v, aval in zip(evaluated, results, strict=True))
        return packed[0] if len(packed) == 1 else packed

    name = eqn.primitive.name
    callee = Callee(name, "jax", why or reason(eqn), jax.jit(run))
    return b.library_call(callee, operands, [type_of(aval) for aval in results])


def reason(eqn: Any) -> str:
    """Why the core does not lower the equation's primitive."""
    name = eqn.primitive.name
    avals = [v.aval for v in (*eqn.invars, *eqn.outvars)]
    over = next((kind for of, kind in _PACKED.items() if any(map(of, avals))), "")
    return _REASONS.get(name, f"there is no rule for {name}{over}")


def _variables(eqn: Any) -> list[Any]:
    return [v for v in eqn.invars if not isinstance(v, core.Literal)]


def _evaluate(eqn: Any, values: list[Any]) -> Any:
    given = iter(values)
    operands = [v.val if isinstance(v, core.Literal) else next(given) for v in eqn.invars]
    results = eqn.primitive.bind(*operands, **eqn.primitive.get_bind_params(eqn.params))
    return results if eqn.primitive.multiple_results else [results]
