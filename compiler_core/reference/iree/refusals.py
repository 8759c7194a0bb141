"""What IREE says of programs that it refuses, in plain words."""

import re

from compiler_core.reference.refusal import ELSEWHERE, Refusal

REFUSALS = (
    (
        re.compile(r"'stablehlo\.custom_call'.*?call_target_name = \"(?P<named>\w+)\"", re.S),
        Refusal(
            "the program calls the library function {named}, which XLA brings along and IREE "
            "does not",
            ELSEWHERE,
        ),
    ),
    (
        re.compile(r"Dialect `sdy' not found"),
        Refusal(
            "the program calls Python in the middle of a call, which IREE cannot",
            "compute by jax.numpy what the callback does, or call it before or after",
        ),
    ),
    (
        re.compile(r"Error invoking function"),
        Refusal(
            "what IREE compiled fails when it is called, by the checks of IREE's own runtime",
            ELSEWHERE,
        ),
    ),
)
