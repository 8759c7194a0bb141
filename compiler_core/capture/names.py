"""Valid names for graphs."""

import re


def identifier(name: str) -> str:
    """`name` with all characters replaced that a graph's name may not have: `grad(loss)` becomes
    `grad_loss`."""
    return re.sub(r"\W+", "_", name).strip("_") or "program"
