"""Graph breaks: why Dynamo ended a graph, in plain words, and on which line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from compiler_core.report import GraphBreak
from compiler_core.snippet.source import is_own

DECISION = "Python decides by the value of a tensor which way to go"
BACKWARD = "the backward pass is run by autograd, outside of the graph"
NUMBER = "Python asks for the value of a tensor, and gets a number"
INNER = "take the inner gradient by torch.func.grad"
TWICE = (
    "the gradient of a gradient is taken, and AOTAutograd has graphs of one backward pass alone: "
    "torch runs whatever records gradients; torch.func.grad takes the inner one within a graph"
)
FAILS = (
    "torch cannot run the backward graph that AOTAutograd has traced ({}): torch runs whatever "
    "records gradients"
)
_ASIDE = "call it before or after the compiled function"
# The remedy for a break at a tensor's value. The core ends its graphs there whatever is set
# (`values_in_python`), so that the remedy helps other compilers alone.
_TENSOR = (
    "keep it a tensor; TorchInductor alone goes on, where "
    "torch._dynamo.config.capture_scalar_outputs = True is set"
)
_DECIDED = (
    "choose by torch.where, or put both branches into torch.cond, a loop into torch.while_loop"
)
_FORWARD = "compile the forward pass alone, and call backward() outside"


@dataclass(frozen=True)
class Explained:
    """Why Dynamo ended a graph, in plain words, and what to do about it; `remedy` is blank where
    nothing is known."""

    why: str
    remedy: str = ""


_NOT_HELD = Explained(
    "an operation of torch is given something that no graph holds",
    f"give it tensors and numbers alone, or {_ASIDE}",
)
_MADE_INSIDE = Explained(
    "an object that the program makes is wanted behind a graph, and TorchDynamo cannot make it "
    "again there",
    "make it before the compiled function, or return the tensors in it",
)

_EQUAL = Explained(
    "Python asks whether tensors are equal, and gets a truth",
    "compare them by torch.isclose(x, y).all() or (x == y).all(), and choose by torch.where",
)

# Parts of Dynamo's reasons, and what they mean.
_WORDS = {
    "aten._local_scalar_dense": Explained(NUMBER, _TENSOR),
    "tracing `tolist()`": Explained(
        "Python asks for the values of a tensor, and gets a list",
        "compute with the tensor itself, or call tolist() outside of the compiled function",
    ),
    **dict.fromkeys(("`aten.allclose.default`", "`aten.equal.default`"), _EQUAL),
    "step_unsupported": Explained(
        "TorchDynamo ends the graph here: Python runs the rest of the function"
    ),
    "comprehension_graph_break": Explained(
        "Python runs the comprehension",
        "write it as a loop, or make the list outside of the compiled function",
    ),
    "generic_jump": Explained(DECISION, _DECIDED),
    "Data-dependent branching": Explained(DECISION, _DECIDED),
    "Unsupported Tensor.item()": Explained(NUMBER, _TENSOR),
    "Unsupported Tensor.backward()": Explained(BACKWARD, _FORWARD),
    "module: torch.autograd, qualname: backward": Explained(BACKWARD, _FORWARD),
    "using `torch.autograd.grad`": Explained(
        "the gradient is computed by autograd, outside of the graph",
        "use torch.func.grad, which stays in the graph",
    ),
    "requires_grad_()": Explained(
        "an intermediate tensor begins to record gradients",
        "call requires_grad_() on inputs, before the compiled function",
    ),
    "Module-level backwards hooks": Explained(
        "a module has a backward hook, which Python runs",
        "leave the hook out, or run the module outside of the compiled function",
    ),
    "`torch.nn.Parameter()` constructor": Explained(
        "a parameter is made, which no graph can do",
        "make the parameter in the module's constructor",
    ),
    "Dynamic shape operator": Explained(
        "the shape of the result depends on the values of the input",
        "use torch.where, or a mask of a fixed shape",
    ),
    "Dynamic slicing with Tensor arguments": Explained(
        "the bounds of a slice are values of a tensor",
        "slice by Python integers, or select by torch.index_select",
    ),
    "Missing `as_proxy()`": _NOT_HELD,
    "converted to a VariableTracker": _NOT_HELD,
    "no bytecode reconstruction": _MADE_INSIDE,
    "Cannot reconstruct an instance": _MADE_INSIDE,
}
# Dynamo's words for a call of print, which it does not follow.
_PRINT = "builtin `print`"
_PRINTED = Explained("print() runs in Python", "print outside of the compiled function")
_ASKED = "User-inserted graph break"
# The file in which every optimizer's step asks for a graph break.
_OPTIMIZER = "torch/optim/optimizer.py"
_BY_SNIPPET = Explained("the snippet asks for a graph break here", "remove the call")
_BY_OPTIMIZER = Explained(
    "an optimizer's step begins a graph of its own, in which it updates the parameters in place",
    "call step() after the compiled function: torch.compile(optimizer.step) compiles it by itself",
)
_BY_TORCH = Explained(
    "torch asks for a break before what is called here, which becomes graphs of its own", _ASIDE
)
# Dynamo's reasons that name something, and what they mean.
_OF_NAMES = (
    (
        re.compile(r"calling `([\w.]+)`\. Reason: Getting an inplace view on a graph input"),
        Explained(
            "{}() turns an input into another view of its memory, in place",
            "take the view that the same method without _ gives",
        ),
    ),
    (
        re.compile(r"intentionally marked that the function `([\w.]+)`"),
        Explained("torch runs {}() in Python", _ASIDE),
    ),
    (
        re.compile(
            r"(?:Skip inlining function|Skip calling function|when calling) `?([^`\n]*?)`?"
            r"(?: since it was|\. Reason: Optimized `nn.Module` is) wrapped with "
            r"`torch\.compiler\.disable`"
        ),
        Explained(
            "{}() is marked with torch.compiler.disable: Python runs it",
            "remove the mark, or call it before or after the compiled function",
        ),
    ),
    (
        re.compile(r"how to trace the builtin `([\w.]+?)\.?`"),
        Explained("{}() runs in Python", _ASIDE),
    ),
    (
        re.compile(r"The type ([\w.]+) has an? \w+ C slot but"),
        Explained(
            "Python computes with an object of the type {}, which no graph holds",
            "compute with tensors and numbers, or outside of the compiled function",
        ),
    ),
    (
        re.compile(r"does not support (?:next\(\)|virtual iteration) on ([\w.]*\w)"),
        Explained(
            "Python goes over an object of the type {}, which TorchDynamo does not follow",
            "go over a list, or over a range of its places",
        ),
    ),
    (
        re.compile(r"Backend compiler .*? failed with (.*?)\. Adding a graph break"),
        Explained("the operations up to here are run by torch: {}"),
    ),
)
# The heading of Dynamo's longer explanation, which not every reason has.
_EXPLANATION = "Explanation:"
_SAYS_NOTHING = "Dynamo does not support this"
# Dynamo's form of a name of the snippet: `G['linear']`, `L['self']`.
_VARIABLE = re.compile(r"\b[GL]\['(\w+)'\]")
# Python's text of a function, a method (both with an address) or a class.
_SHOWN = re.compile(r"<(?:bound method|built-in function|function|class) '?([\w.<>]*\w>?)'?.*?>+")
_OBJECT = re.compile(r"<([\w.]+) object at 0x[0-9a-f]+>")
# An overload of an operator: `aten._unique2.default` is what torch.unique calls.
_OVERLOAD = re.compile(r"\b(?:torch\.ops\.)?aten\.(_*(\w+?)\d*)\.\w+")
# What it says to who works on it.
_TO_ITSELF = re.compile(
    r" ?(?:Add \S+ to this|with) VariableTracker(?: subclass\.)?| at 0x[0-9a-f]+"
)


def graph_breaks(reasons: Sequence[Any]) -> list[GraphBreak]:
    """One break for each line and reason, in the order in which Dynamo met them. Breaks inside of
    torch's own functions are left out if there is any other."""
    found = dict.fromkeys(_break(str(r.reason), r.user_stack) for r in reasons)
    return [b for b in found if b.line is not None] or list(found)


def _break(reason: str, stack: Any) -> GraphBreak:
    said = explained(reason)
    if _ASKED in reason:
        said = asked_by(list(stack)[-1].filename if stack else "")
    return GraphBreak(said.why, line_of(stack), said.remedy)


def asked_by(file: str) -> Explained:
    """A break that is asked for in a file by a call of torch._dynamo.graph_break()."""
    if is_own(file):
        return _BY_SNIPPET
    return _BY_OPTIMIZER if file.endswith(_OPTIMIZER) else _BY_TORCH


def explained(reason: str) -> Explained:
    """Dynamo's reason in plain words, or its own explanation where there are none for it."""
    if _PRINT in reason:
        return _PRINTED
    known = next((words for phrase, words in _WORDS.items() if phrase in reason), None)
    if known is not None:
        return known
    for pattern, words in _OF_NAMES:
        if found := pattern.search(reason):
            return replace(words, why=words.why.format(readable(found[1])))
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    explained = (line.removeprefix(_EXPLANATION).strip() for line in lines if _EXPLANATION in line)
    telling = (text for text in explained if text and not text.startswith(_SAYS_NOTHING))
    text = next(telling, lines[0] if lines else "graph break")
    return Explained(readable(text))


def readable(text: str) -> str:
    """Dynamo's text with functions and objects by their names instead of addresses, which differ
    from run to run, and operators by those of torch's functions."""
    text = _OVERLOAD.sub(_function, text)
    named = _OBJECT.sub(r"\1", _SHOWN.sub(r"\1", _VARIABLE.sub(r"\1", text)))
    return _TO_ITSELF.sub("", named).replace("<locals>.", "")


def _function(overload: re.Match[str]) -> str:
    """The function of torch's that calls an overload; the operator where none has its name."""
    _, name = overload.groups()
    return f"torch.{name}" if hasattr(torch, name) else str(overload[1])


def file_of(reasons: Sequence[Any]) -> str:
    """The snippet's file, as Dynamo's reasons name it; blank where none does."""
    frames = (frame for r in reasons for frame in r.user_stack or ())
    return next((str(f.filename) for f in frames if is_own(f.filename)), "")


def line_of(stack: Any) -> int | None:
    """The snippet's line in a stack, innermost first."""
    lines = [frame.lineno for frame in stack or () if is_own(frame.filename)]
    return lines[-1] if lines else None
