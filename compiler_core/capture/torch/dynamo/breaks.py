"""Graph breaks: why Dynamo ended a graph, in plain words, and on which line."""

import re
from collections.abc import Sequence
from typing import Any

from compiler_core.report import GraphBreak
from compiler_core.snippet.source import is_own

DECISION = "Python decides by the value of a tensor which way to go"
# What Dynamo's reason says -> what it means.
_WORDS = {
    "generic_jump": DECISION,
    "Data-dependent branching": DECISION,
    "Unsupported Tensor.item()": "Python asks for the value of a tensor, and gets a number",
    "Unsupported Tensor.backward()": "the backward pass is run by autograd, outside of the graph",
    "using `torch.autograd.grad`": "the gradient is computed by autograd, outside of the graph",
    "requires_grad_()": "an intermediate tensor begins to record gradients",
    "User-inserted graph break": "torch itself asks for a break here",
    "Dynamic shape operator": "the shape of the result depends on the values of the input",
    "Dynamic slicing with Tensor arguments": "the bounds of a slice are values of a tensor",
}
# What Dynamo says of a call that it does not follow: the name is in the sentence.
_PRINT = "builtin `print`"
_OWN = re.compile(r"intentionally marked that the function `([\w.]+)`")


def graph_breaks(reasons: Sequence[Any]) -> list[GraphBreak]:
    """One break for each line and reason, in the order in which Dynamo met them. Breaks inside of
    torch's own functions are left out if there is any other."""
    found = dict.fromkeys(GraphBreak(plain(str(r.reason)), line_of(r.user_stack)) for r in reasons)
    return [b for b in found if b.line is not None] or list(found)


def plain(reason: str) -> str:
    """Dynamo's reason in plain words; its own explanation where these words lack it."""
    if _PRINT in reason:
        return "print() runs in Python"
    own = _OWN.search(reason)
    if own is not None:
        return f"torch runs {own[1]}() in Python"
    known = next((words for said, words in _WORDS.items() if said in reason), None)
    if known is not None:
        return known
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    explained = (line for line in lines if line.startswith("Explanation:"))
    text = next(explained, lines[0] if lines else "graph break")
    return text.removeprefix("Explanation:").strip()


def file_of(reasons: Sequence[Any]) -> str:
    """The snippet's file, as Dynamo's reasons name it; blank where none does."""
    frames = (frame for r in reasons for frame in r.user_stack or ())
    return next((str(f.filename) for f in frames if is_own(f.filename)), "")


def line_of(stack: Any) -> int | None:
    """The snippet's line in a stack, innermost first."""
    lines = [frame.lineno for frame in stack or () if is_own(frame.filename)]
    return lines[-1] if lines else None
