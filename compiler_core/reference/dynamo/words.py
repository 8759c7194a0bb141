"""Graph breaks in plain words, with remedies: a row for each kind that programs commonly meet, by
its title in torch._dynamo.graph_break_registry. For other kinds, Dynamo's own explanation and its
first useful hint are shown."""

import re
from dataclasses import dataclass

from compiler_core.capture.torch.dynamo.breaks import readable
from compiler_core.reference.dynamo.break_message import BreakMessage
from compiler_core.snippet.own_operations import lack_of


@dataclass(frozen=True)
class Words:
    """What happened, why, and the remedy. `{name}` stands for what the break names: a function, a
    method, an operator."""

    what: str
    why: str
    remedy: str


_VALUE = "a graph computes tensors, and Python has to wait here for the value of one"
_FOLLOW = "Dynamo does not follow this call, and what it may do to the program is unknown"
_SHAPE = "sizes in a graph are known before it runs, and this one depends on values"

_WORDS = {
    "Unsupported Tensor.item() call with capture_scalar_outputs=False": Words(
        "Tensor.item(), float() or int() of a tensor makes a Python number",
        _VALUE,
        "keep it a tensor; or set torch._dynamo.config.capture_scalar_outputs = True",
    ),
    "Data-dependent branching": Words(
        "an `if` or a `while` decides by the value of a tensor",
        _VALUE + ", to know which way to go",
        "choose by torch.where, or put both branches into torch.cond, a loop into torch.while_loop",
    ),
    "Data-dependent branching with non-constant __bool__": Words(
        "a condition calls __bool__ of an object, whose result is not known beforehand",
        _VALUE + ", to know which way to go",
        "compare what is inside of the object; or decide before the compiled function is called",
    ),
    "Data-dependent assertion failed (cannot compile partial graph)": Words(
        "an `assert` looks at the value of a tensor",
        _VALUE,
        "use torch._assert_async, or move the assertion out of the compiled function",
    ),
    "Data dependent operator": Words(
        "{name} gives Python the value of a tensor",
        _VALUE,
        "keep the value a tensor; or set torch._dynamo.config.capture_scalar_outputs = True",
    ),
    "Tensor.tolist() with non-integer tensor": Words(
        "Tensor.tolist() makes Python numbers of a tensor",
        _VALUE,
        "compute with the tensor itself, or call tolist() outside of the compiled function",
    ),
    "Dynamic shape operator": Words(
        "the shape of what {name} gives depends on values",
        _SHAPE,
        "use torch.where or a mask of a fixed shape; "
        "or set torch._dynamo.config.capture_dynamic_output_shape_ops = True",
    ),
    "Dynamic slicing with Tensor arguments": Words(
        "the bounds of a slice are values of a tensor",
        _SHAPE,
        "slice by Python integers, or select by torch.index_select or torch.narrow",
    ),
    "Failed to trace builtin operator": Words(
        "the builtin {name}() is called with what Dynamo knows no rule for",
        _FOLLOW,
        "call {name}() outside of the compiled function",
    ),
    "invalid call to builtin op handler": Words(
        "the builtin {name}() is given arguments that Dynamo knows no rule for",
        "of builtins, Dynamo follows calls of some forms alone",
        "write what it does by a function of torch, or call it outside of the compiled function",
    ),
    "Call to `torch._dynamo.graph_break()`": Words(
        "the program asks for a graph break",
        "torch._dynamo.graph_break() was called",
        "remove the call",
    ),
    "Skip calling `torch.compiler.disable()`d function": Words(
        "{name}() is marked with torch.compiler.disable",
        "Python runs what is marked so, and the graph ends before it",
        "remove the mark, or call it before or after the compiled function",
    ),
    "Skip inlining `torch.compiler.disable()`d function": Words(
        "{name}() is marked with torch.compiler.disable",
        "Python runs what is marked so, and the graph ends before it",
        "remove the mark, or call it before or after the compiled function",
    ),
    "Attempted to inline function marked as skipped": Words(
        "{name}() is one of those that Dynamo leaves to Python",
        "torch's developers, or a rule for the module that it is in, have said so",
        "call it before or after the compiled function",
    ),
    "Attempted to call function marked as skipped": Words(
        "{name}() is a builtin or is written in C, and Dynamo knows no rule for it",
        _FOLLOW,
        "call it before or after the compiled function, or make a custom operator of it "
        "(torch.library.custom_op)",
    ),
    "Unsupported Tensor.backward() call": Words(
        "Tensor.backward() runs autograd from within the compiled function",
        "the backward pass is compiled as a graph of its own, which autograd calls",
        "compile the forward pass alone and call backward() outside; "
        "or set torch._dynamo.config.trace_autograd_ops = True",
    ),
    "using `torch.autograd.grad` with `torch._dynamo.config.trace_autograd_ops=False`": Words(
        "torch.autograd.grad runs autograd from within the compiled function",
        "the backward pass is compiled as a graph of its own, which autograd calls",
        "use torch.func.grad, which stays in the graph; "
        "or set torch._dynamo.config.trace_autograd_ops = True",
    ),
    "Unsupported Tensor.requires_grad_() call": Words(
        "an intermediate tensor begins to record gradients",
        "where gradients begin has to be known before the graph",
        "call requires_grad_() on inputs, before the compiled function",
    ),
    "Attempted to wrap RNN, GRU, or LSTM": Words(
        "an RNN, GRU or LSTM layer is called",
        "Dynamo leaves these layers, and what calls them, to Python",
        "set torch._dynamo.config.allow_rnn = True",
    ),
    "attempted to trace numpy function unsupported by PyTorch": Words(
        "a function of numpy is called that torch has no counterpart of",
        "of numpy, Dynamo follows what torch can compute",
        "write it with torch, or call it outside of the compiled function",
    ),
    "failed to convert numpy.ndarray to Tensor": Words(
        "an array of numpy has a type that no tensor has",
        "of numpy, Dynamo follows what torch can compute",
        "convert the array to a numeric type before the compiled function",
    ),
    "logging.Logger method not supported for non-export cases": Words(
        "a message is logged",
        "logging runs in Python",
        "log outside of the compiled function, or add the method to "
        "torch._dynamo.config.ignore_logging_functions",
    ),
    "Unsupported context manager": Words(
        "a `with` enters {name}, which Dynamo knows no rule for",
        "what a context manager does to the program is unknown",
        "enter it around the call of the compiled function",
    ),
    "Unsupported method call": Words(
        "{name}() is a method that Dynamo knows no rule for",
        _FOLLOW,
        "call it before or after the compiled function",
    ),
    "Observed exception": Words(
        "the program raises an exception that leaves the compiled function",
        "a graph has no exceptions",
        "check before the compiled function is called",
    ),
    "Dynamo recompile limit exceeded": Words(
        "the function was compiled so often that Dynamo compiles it no more",
        "each call that no compiled version serves makes another one, up to a limit",
        "see which guards failed; mark the sizes that change with torch._dynamo.mark_dynamic, or "
        "raise torch._dynamo.config.recompile_limit",
    ),
}
# print() has a remedy of its own, unlike other builtins.
_PRINT = Words(
    "print() runs in Python",
    "what is printed has to appear while the program runs",
    "print outside of the compiled function, or add print to "
    "torch._dynamo.config.reorderable_logging_functions, which moves it after the graph",
)
# Where the text of a break names its subject; the first form that is found counts.
_NAMES = (
    re.compile(r"builtin (?:operator )?`([\w.]+?)\.?`"),
    re.compile(r"the function `([^`]+)`"),
    re.compile(r"method `(\w+)` of class"),
    re.compile(r"calling (?:the )?(?:function )?`(.+?)`"),
    re.compile(r"trying to handle op (\w+)"),
    re.compile(r"Skip \w+ function `(.+?)` since"),
    re.compile(r"Operator `([^`]+)`"),
    re.compile(r"context manager `?([\w.]+)"),
)
# For an operator of the snippet's own that Dynamo cannot call with tensors that have no values.
_UNKNOWN = "an operation is called of which Dynamo does not know what it gives"
# Hints of nearly every break, which do not help to remove this one.
_IDLE = (
    "report", "file an issue", "likely to be a Dynamo bug", "may be difficult to debug",
    "It may be possible to write Dynamo", "is fundamental", "please either wrap it",
)  # fmt: skip


def words_of(message: BreakMessage) -> Words:
    """The words for a break: full sentences without full stops."""
    name = _name(message)
    row = _PRINT if name == "print" else _WORDS.get(message.title)
    if row is None or ("{name}" in "".join((row.what, row.remedy)) and not name):
        row = _dynamos_own(message)
    return Words(*(text.replace("{name}", name) for text in (row.what, row.why, row.remedy)))


def _name(message: BreakMessage) -> str:
    found = (p.search(text) for p in _NAMES for text in (message.explanation, *message.hints))
    return next((readable(m[1]).removesuffix("()") for m in found if m), "")


def _dynamos_own(message: BreakMessage) -> Words:
    if lack := lack_of(message.explanation):
        return Words(_UNKNOWN, lack.why, lack.remedy)
    useful = (h for h in message.hints if not any(idle in h for idle in _IDLE))
    what, why, remedy = (
        readable(t) for t in (message.title, message.explanation, next(useful, ""))
    )
    return Words(what.rstrip("."), why.rstrip("."), remedy.rstrip("."))
