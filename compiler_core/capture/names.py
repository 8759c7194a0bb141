"""Names that a graph may have."""

import re


def identifier(name: str) -> str:
    """`name` with everything that a graph's name may not hold replaced: `grad(loss)` is
    `grad_loss`."""
    return re.sub(r"\W+", "_", name).strip("_") or "program"
