"""Values of an earlier trace that a program still uses. JAX finds them only when it compiles, and
then does not name the line that uses them."""

from typing import Any

import jax

from compiler_core.capture.jax.lower import place_of
from compiler_core.errors import CaptureError
from compiler_core.snippet.remedies import LEAKED


def refuse_leaked(closed: Any) -> None:
    """Raises CaptureError with the line that uses such a value, if there is one."""
    pairs = zip(closed.jaxpr.constvars, closed.consts, strict=True)
    leaked = {id(var) for var, value in pairs if isinstance(value, jax.core.Tracer)}
    if not leaked:
        return
    places = (place_of(e) for e in closed.jaxpr.eqns if leaked & {*map(id, e.invars)})
    place = next(filter(None, places), None)
    raise CaptureError(
        "UnexpectedTracerError: a value that was computed while JAX traced an earlier call is used",
        line=place[0] if place else None,
        remedy=LEAKED,
    )
