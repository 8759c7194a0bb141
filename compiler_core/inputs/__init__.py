"""Parses the inputs of programs. The web server checks what a person typed with this module, and
the compiler builds values from it, so both report a mistake in the same words. Therefore: standard
library only."""

from compiler_core.inputs.calls import calls
from compiler_core.inputs.drawn import FLOATS, Drawn
from compiler_core.inputs.error import InputsError
from compiler_core.inputs.specs import BYTES, MAX_INPUT_BYTES, MAX_INPUTS, InputSpec
from compiler_core.inputs.values import Arguments, Call, Listed, Literal, Mapped, Named, New, Value

__all__ = [
    "BYTES",
    "FLOATS",
    "MAX_INPUTS",
    "MAX_INPUT_BYTES",
    "Arguments",
    "Call",
    "Drawn",
    "InputSpec",
    "InputsError",
    "Listed",
    "Literal",
    "Mapped",
    "Named",
    "New",
    "Value",
    "calls",
]
