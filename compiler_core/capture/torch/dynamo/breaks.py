"""Graph breaks: why Dynamo ended a graph, in plain words, and on which line."""

import re
from collections.abc import Sequence
from typing import Any

from compiler_core.report import GraphBreak
from compiler_core.snippet.source import is_own

DECISION = "Python decides by the value of a tensor which way to go"
BACKWARD = "the backward pass is run by autograd, outside of the graph"
NUMBER = "Python asks for the value of a tensor, and gets a number"
TWICE = (
    "the gradient of a gradient is taken, and AOTAutograd has graphs of one backward pass alone: "
    "torch runs whatever records gradients; torch.func.grad takes the inner one within a graph"
)
# What Dynamo's reason says -> what it means.
_WORDS = {
    "aten._local_scalar_dense": NUMBER,
    "tracing `tolist()`": "Python asks for the values of a tensor, and gets a list",
    "step_unsupported": "TorchDynamo ends the graph here: Python runs the rest of the function",
    "comprehension_graph_break": "Python runs the comprehension",
    "generic_jump": DECISION,
    "Data-dependent branching": DECISION,
    "Unsupported Tensor.item()": NUMBER,
    "Unsupported Tensor.backward()": BACKWARD,
    "module: torch.autograd, qualname: backward": BACKWARD,
    "using `torch.autograd.grad`": "the gradient is computed by autograd, outside of the graph",
    "requires_grad_()": "an intermediate tensor begins to record gradients",
    "Module-level backwards hooks": "a module has a backward hook, which Python runs",
    "`torch.nn.Parameter()` constructor": "a parameter is made, which no graph can do",
    "Dynamic shape operator": "the shape of the result depends on the values of the input",
    "Dynamic slicing with Tensor arguments": "the bounds of a slice are values of a tensor",
}
# What Dynamo says of a call that it does not follow: the name is in the sentence.
_PRINT = "builtin `print`"
_ASKED = "User-inserted graph break"
_BY_SNIPPET = "the snippet asks for a graph break here"
_BY_TORCH = "torch asks for a break before what is called here, which becomes graphs of its own"
# What it says of something by name, and what that means.
_OF_NAMES = (
    (
        re.compile(r"intentionally marked that the function `([\w.]+)`"),
        "torch runs {}() in Python",
    ),
    (
        re.compile(
            r"(?:Skip inlining function|Skip calling function|when calling) `?([^`\n]*?)`?"
            r"(?: since it was|\. Reason: Optimized `nn.Module` is) wrapped with "
            r"`torch\.compiler\.disable`"
        ),
        "{}() is marked with torch.compiler.disable: Python runs it",
    ),
    (re.compile(r"how to trace the builtin `([\w.]+?)\.?`"), "{}() runs in Python"),
    (
        re.compile(r"Backend compiler .*? failed with (.*?)\. Adding a graph break"),
        "the operations up to here are run by torch: {}",
    ),
)
# What it says at greater length, or not at all.
_EXPLANATION = "Explanation:"
_SAYS_NOTHING = "Dynamo does not support this"
# What it calls a name of the snippet: `G['linear']`, `L['self']`.
_VARIABLE = re.compile(r"\b[GL]\['(\w+)'\]")
# How Python shows a function or a method, with its address, and a class.
_SHOWN = re.compile(r"<(?:bound method|built-in function|function|class) '?([\w.<>]*\w>?)'?.*?>+")
_OBJECT = re.compile(r"<([\w.]+) object at 0x[0-9a-f]+>")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def graph_breaks(reasons: Sequence[Any]) -> list[GraphBreak]:
    """One break for each line and reason, in the order in which Dynamo met them. Breaks inside of
    torch's own functions are left out if there is any other."""
    found = dict.fromkeys(_break(str(r.reason), r.user_stack) for r in reasons)
    return [b for b in found if b.line is not None] or list(found)


def _break(reason: str, stack: Any) -> GraphBreak:
    if _ASKED not in reason:
        return GraphBreak(plain(reason), line_of(stack))
    by_snippet = bool(stack) and is_own(list(stack)[-1].filename)
    return GraphBreak(_BY_SNIPPET if by_snippet else _BY_TORCH, line_of(stack))


def plain(reason: str) -> str:
    """Dynamo's reason in plain words, or its own explanation where there are none for it."""
    if _PRINT in reason:
        return "print() runs in Python"
    known = next((words for phrase, words in _WORDS.items() if phrase in reason), None)
    if known is not None:
        return known
    for pattern, words in _OF_NAMES:
        if found := pattern.search(reason):
            return words.format(readable(found[1]))
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    explained = (line.removeprefix(_EXPLANATION).strip() for line in lines if _EXPLANATION in line)
    telling = (text for text in explained if text and not text.startswith(_SAYS_NOTHING))
    text = next(telling, lines[0] if lines else "graph break")
    return readable(text)


def readable(text: str) -> str:
    """Dynamo's text with functions and objects by their names instead of addresses, which differ
    from run to run."""
    named = _OBJECT.sub(r"\1", _SHOWN.sub(r"\1", _VARIABLE.sub(r"\1", text)))
    return _ADDRESS.sub("", named).replace("<locals>.", "")


def file_of(reasons: Sequence[Any]) -> str:
    """The snippet's file, as Dynamo's reasons name it; blank where none does."""
    frames = (frame for r in reasons for frame in r.user_stack or ())
    return next((str(f.filename) for f in frames if is_own(f.filename)), "")


def line_of(stack: Any) -> int | None:
    """The snippet's line in a stack, innermost first."""
    lines = [frame.lineno for frame in stack or () if is_own(frame.filename)]
    return lines[-1] if lines else None
