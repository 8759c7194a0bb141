"""The programs that an equation of a jaxpr runs."""

from collections.abc import Iterator
from typing import Any

from jax.extend import core


def jaxprs_within(eqn: Any) -> Iterator[Any]:
    """The jaxprs among an equation's parameters, as open ones. JAX has this as
    jax.extend.core.jaxprs_in_params, from 0.10 on."""
    for param in eqn.params.values():
        for each in param if isinstance(param, tuple) else (param,):
            if isinstance(each, core.ClosedJaxpr | core.Jaxpr):
                yield getattr(each, "jaxpr", each)
