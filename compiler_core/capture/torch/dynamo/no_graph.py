"""Why AOTAutograd makes no graph of what TorchDynamo has given it: it says that it cannot, or it
fails."""

import re
import traceback

from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.private import (
    DataDependentOutputException,
    DynamicOutputShapeException,
)
from compiler_core.errors import sentence_of

REFUSES = "AOTAutograd has no graph of the operations up to here: {}"
_FAILS = "AOTAutograd fails at the operations up to here, by a fault of torch's: {}"

# What torch says that it does not do, in its own words, and what that means.
REFUSALS: dict[str, str] = {
    "non-differentiable view input mutations": "an input that records no gradient is written to, "
    "and shares its memory with one that does",
    "input mutations on views with different dtypes": "an input is written to, and another shares "
    "its memory as another type",
    "does not support tracing graphs that mutate the autocast state": "they switch autocast on or "
    "off",
    "to the graph is a tensor subclass. This is not supported": "inputs that share memory are "
    "written to, and one of them is of a class of its own",
    "storage resizing is not supported on tensor subclass": "the memory of a tensor of a class of "
    "its own is resized",
    "had its metadata mutated in the backward": "the backward pass changes the form of an input",
    "had storage resizing in the backward": "the backward pass resizes the memory of an input",
    "during the backward pass. This is not supported": "the backward pass changes the form of what "
    "it is given",
    "mutated in an autograd-aware way. This is not supported": "the backward pass writes to an "
    "input that records a gradient",
    # Of autograd and of the operations:
    "modified by an inplace operation": "what the backward pass would read is written over",
    "on tensor with symbolic sizes/strides": "one of them is without a rule for sizes that are "
    "symbols",
    "the derivative for ": "one of them is without a gradient",
    "refers to a single memory location": "elements are written to that share their memory",
}
_RAISED = (AssertionError, RuntimeError, NotImplementedError)
# At these Dynamo breaks the graph.
_ASKS_FOR_VALUES = (DataDependentOutputException, DynamicOutputShapeException)
_OWN = "/compiler_core/"
# Our functions that are there before AOTAutograd is called.
_CALLING = ("fuselab", "backend", "_divided")
_SPACES = re.compile(r"\s+")


def why(error: Exception) -> str:
    """The reason, a sentence; "" where Dynamo traces otherwise because of `error`, or it was raised
    by what AOTAutograd calls of ours."""
    if not _is_torchs(error):
        return ""
    said = _SPACES.sub(" ", str(error))
    meant = next((words for text, words in REFUSALS.items() if text in said), "")
    return REFUSES.format(meant) if meant else _FAILS.format(sentence_of(error))


def _is_torchs(error: Exception) -> bool:
    frames = traceback.extract_tb(error.__traceback__)
    called = [f for f in frames if _OWN in f.filename]
    within = _OWN not in frames[-1].filename and all(f.name in _CALLING for f in called)
    asks = aot.is_dynamos(error) or isinstance(error, _ASKS_FOR_VALUES)
    return isinstance(error, _RAISED) and not asks and within
