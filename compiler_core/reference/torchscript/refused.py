"""Why TorchScript could not take a program, in plain words: a table of what torch says."""

import re

from compiler_core.errors import sentence_of
from compiler_core.reference.refusal import Refusal, in_words

_OUTSIDE = (
    "compile by it what computes tensors alone: an optimizer, or what else is Python's own, stays "
    "outside; torch.compile takes it"
)
_WORDS = (
    (
        re.compile(r"Expected a single top-level function"),
        Refusal(
            "TorchScript reads the source of a function, and a lambda is a part of a line",
            "give it a name with `def`: a lambda is no statement",
        ),
    ),
    (
        re.compile(r"a Tensor that requires grad as a constant"),
        Refusal(
            "a trace makes a constant of each tensor from outside of the program, and one that "
            "records gradients, as a parameter does, cannot be one",
            "make it a torch.nn.Module whose parameters these are, or give them as arguments",
        ),
    ),
    (
        re.compile(r"is not defined on python value(?: of type '(?P<named>[^']+)')?"),
        Refusal(
            "TorchScript compiles functions of tensors, and the program asks something of "
            "Python's own: {named}",
            _OUTSIDE,
        ),
    ),
    (
        re.compile(r"(?P<named>\w[\w ]*?) aren't supported"),
        Refusal(
            "TorchScript has a part of Python alone, without {named}",
            "write it otherwise, a lambda as a function with `def`; torch.compile takes it",
        ),
    ),
    (
        re.compile(r"cond must be a bool, but got a Tensor"),
        Refusal(
            "a trace makes tensors of sizes, and torch._check takes no tensor",
            "leave the check out of what is traced (`if not torch.jit.is_tracing():`)",
        ),
    ),
    (
        re.compile(r"Tensor (?:\(inferred\) )?cannot be used as a tuple"),
        Refusal(
            "TorchScript has to know how many names a tensor is unpacked into, and its rows are "
            "counted as it runs",
            "unpack `x.unbind(0)`, or take the rows by their numbers",
        ),
    ),
)
_ELSE = "torch.compile takes more of Python than TorchScript does"


def refused(error: BaseException) -> Refusal:
    """The words for an error that torch.jit raised; where there are none, its own first line."""
    known = in_words(_WORDS, str(error), nameless="an object")
    return known or Refusal(sentence_of(error).rstrip(": "), _ELSE)
