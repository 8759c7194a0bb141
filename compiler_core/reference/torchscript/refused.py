"""Why TorchScript could not take a program, in plain words: a table of what torch says."""

import re
from dataclasses import dataclass

from compiler_core.errors import sentence_of


@dataclass(frozen=True)
class Refused:
    """Why, in one sentence, and what to do; `{named}` stands for what torch names."""

    why: str
    remedy: str


_OUTSIDE = (
    "compile by it what computes tensors alone: an optimizer, or what else is Python's own, stays "
    "outside; torch.compile takes it"
)
_WORDS = (
    (
        re.compile(r"Expected a single top-level function"),
        Refused(
            "TorchScript reads the source of a function, and a lambda is a part of a line",
            "give it a name with `def`: a lambda is no statement",
        ),
    ),
    (
        re.compile(r"a Tensor that requires grad as a constant"),
        Refused(
            "a trace makes a constant of each tensor from outside of the program, and one that "
            "records gradients, as a parameter does, cannot be one",
            "make it a torch.nn.Module whose parameters these are, or give them as arguments",
        ),
    ),
    (
        re.compile(r"is not defined on python value(?: of type '(?P<named>[^']+)')?"),
        Refused(
            "TorchScript compiles functions of tensors, and the program asks something of "
            "Python's own: {named}",
            _OUTSIDE,
        ),
    ),
    (
        re.compile(r"(?P<named>\w[\w ]*?) aren't supported"),
        Refused(
            "TorchScript has a part of Python alone, without {named}",
            "write it otherwise, a lambda as a function with `def`; torch.compile takes it",
        ),
    ),
    (
        re.compile(r"cond must be a bool, but got a Tensor"),
        Refused(
            "a trace makes tensors of sizes, and torch._check takes no tensor",
            "leave the check out of what is traced (`if not torch.jit.is_tracing():`)",
        ),
    ),
    (
        re.compile(r"Tensor (?:\(inferred\) )?cannot be used as a tuple"),
        Refused(
            "TorchScript has to know how many names a tensor is unpacked into, and its rows are "
            "counted as it runs",
            "unpack `x.unbind(0)`, or take the rows by their numbers",
        ),
    ),
)
_ELSE = "torch.compile takes more of Python than TorchScript does"


def refused(error: BaseException) -> Refused:
    """The words for an error that torch.jit raised; where there are none, its own first line."""
    for pattern, words in _WORDS:
        if found := pattern.search(str(error)):
            named = found.groupdict().get("named") or "an object"
            return Refused(words.why.replace("{named}", named), words.remedy)
    return Refused(sentence_of(error).rstrip(": "), _ELSE)
