"""The equations of a jaxpr as the captured program's text has them, one line each."""

from collections.abc import Iterator, Sequence
from typing import Any

from compiler_core.capture.jax import control
from compiler_core.capture.jax.traced import Traced
from compiler_core.capture.jax.types import type_of
from compiler_core.interop.packed import is_packed


def equation(number: int, eqn: Any, args: Sequence[Traced]) -> str:
    """Captured operation `number`: its primitive, parameters, operands and types."""
    operands = control.names(args)
    params = ", ".join(f"{k}={v}" for k, v in _shown(eqn.params))
    types = [shown_type(v.aval) for v in eqn.outvars]
    shown = types[0] if len(types) == 1 else f"({', '.join(types)})"
    name = eqn.primitive.name
    return f"%{number} = {name}{f'[{params}]' if params else ''}({operands}) : {shown}"


# Parameters that are not shown: those that a loop's operands and regions tell already, and those
# that not every version of JAX from 0.9 to 0.11 has.
_COUNTS = frozenset(
    {"branches", "num_carry", "num_consts", "cond_nconsts", "body_nconsts", "unroll", "linear"}
    | {"ft_in", "ft_out"}
)


def _shown(params: Any) -> Iterator[tuple[str, str]]:
    """The parameters that are shown: no defaults, no jaxprs, none longer than a line."""
    for name, value in params.items():
        program = hasattr(value, "jaxpr") or hasattr(value, "eqns")
        if value is None or value is False or program or name in _COUNTS:
            continue
        text = str(getattr(value, "name", value) if not isinstance(value, type) else value)
        if len(text) <= 100 and "\n" not in text and " at 0x" not in text:
            yield name, text


def shown_type(aval: Any) -> str:
    """The type of an abstract value as text, such as `f32[8,4]`; a packed one (a key, complex
    numbers) has JAX's own name for its dtype."""
    shape = ",".join(str(s) for s in aval.shape)
    name = str(aval.dtype) if is_packed(aval) else type_of(aval).dtype.name
    return f"{name}[{shape}]"
