"""Primitives that JAX itself expresses by others where XLA has no operation for them: that program
is traced and lowered in their place. Its functions are private to JAX, so that a new release breaks
this file alone. Scatters that apply a function are in applied.py, factorizations of small matrices
in factors.py."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
from jax._src.lax import lax, special

from compiler_core.capture.jax import factors
from compiler_core.capture.jax.applied import applied
from compiler_core.capture.jax.symbols import is_symbolic

# For each primitive, the function that returns its program for an equation's parameters.
_OF_PARAMETERS: dict[str, Callable[..., Any]] = {
    "ragged_dot_general": lax._ragged_dot_general_impl,
}
_WRITTEN: dict[str, Callable[..., Any]] = {
    "igamma": special.igamma_impl,
    "igammac": special.igammac_impl,
    "igamma_grad_a": special.igamma_grad_a_impl,
    "random_gamma_grad": special.random_gamma_grad_impl,
    "regularized_incomplete_beta": special.regularized_incomplete_beta_impl,
}


def written(eqn: Any) -> Any:
    """The program of an equation's primitive, as a closed jaxpr; None where JAX has none."""
    program, avals = _program(eqn), [x.aval for x in eqn.invars]
    if program is None or is_symbolic([a.shape for a in avals]):
        return None
    given = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
    return jax.make_jaxpr(program)(*given)


def _program(eqn: Any) -> Callable[..., Any] | None:
    name = eqn.primitive.name
    if name == "scatter":
        return applied(eqn.params)
    if name in _OF_PARAMETERS:
        return partial(_OF_PARAMETERS[name], **eqn.params)
    if name in _WRITTEN:
        return special._up_and_broadcast(_WRITTEN[name])
    return factors.program_of(eqn)
