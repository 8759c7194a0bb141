"""What TVM says of programs that it refuses, in plain words."""

import re

from compiler_core.reference.refusal import ELSEWHERE, Refusal

REFUSALS = (
    (
        re.compile(r"Unsupported function types \[(?P<named>.+)\]"),
        Refusal(
            "TVM has no rule for what torch calls {named}, of which the program becomes calls",
            ELSEWHERE,
        ),
    ),
)
