"""Why a program could not be exported, in plain words: a table of what torch raises."""

import re
from dataclasses import dataclass

from compiler_core.errors import sentence_of
from compiler_core.reference.dynamo.break_message import parse_message
from compiler_core.reference.dynamo.raised import MORE, violated
from compiler_core.reference.dynamo.words import words_of
from compiler_core.snippet.constrained import suggested
from compiler_core.snippet.own_operations import lack_of
from compiler_core.snippet.source import FILE

_LINE = re.compile(rf'File "{re.escape(FILE)}", line (\d+)')
_HINT = re.compile(r"^\s*Hint: (.*?)\s*$", re.MULTILINE)
_DECIDES = (
    "Python decides by a tensor's value, and an exported graph has no Python",
    "use torch.cond or torch.where; where any value goes the same way, say so by torch._check",
)
_GLOBAL = (
    "strict export takes its parameters from the module that it is given, and the program reads "
    "those of a global one, which have no place in its signature",
    "export a module that holds the other as an attribute, or export with strict=False",
)
_KEPT_OUTSIDE = (
    "the call makes a tensor that is kept where no argument, parameter or buffer is, as a gradient "
    "or an optimizer's state, and an exported graph has no place for it",
    "export the model alone: torch.compile takes a whole training step",
)
_SPECIALISED = (
    "leave it a number, or have the program not ask for it: `math.sqrt(n)` asks, `n ** 0.5` does "
    "not"
)
# Dynamo's name of a global, which is looked up in the module and not found.
_OF_GLOBAL = re.compile(r"\AKeyError: 'G_{2,}")
# torch's messages where the program's control flow depends on a value.
_BY_VALUE = ("Data-dependent branching", "Could not guard on data-dependent expression")
# By the name of torch's exception: why, and what to do.
_WORDS: dict[str, tuple[str, str]] = {
    "GuardOnDataDependentSymNode": _DECIDES,
    "UserError": ("", "give each size that varies a name of its own, or leave it a number"),
    "ConstraintViolationError": (
        "a size that was to vary is needed as a number, or stands in a fixed relation to another",
        "leave it a number, or relate the sizes as torch suggests",
    ),
}
_DEFAULT = "torch.compile goes on in Python where an export cannot"
# The exception of strict export where torch.compile breaks the graph.
_BREAK = "Unsupported"


@dataclass(frozen=True)
class Refused:
    """Why, in one sentence, what to do, the snippet's line, and torch's own message."""

    why: str
    remedy: str
    line: int | None
    raw: str


def refused(error: BaseException) -> Refused:
    """The refusal for an error that torch.export raised."""
    raw = str(error)
    reason, remedy = _by_type(error)
    if any(words in raw for words in _BY_VALUE):
        reason, remedy = _DECIDES
    remedy = suggested(raw) or remedy
    # The first of several conditions: how many follow from it is another number in each form.
    reason = reason or violated(raw).partition(MORE)[0]
    if "specialized it to be a constant" in raw:
        remedy = _SPECIALISED
    if "a fake tensor in the exported program constant's list" in raw:
        reason, remedy = _KEPT_OUTSIDE
    if lack := lack_of(raw):
        reason, remedy = lack.why, lack.remedy
    if _OF_GLOBAL.match(sentence_of(error)):
        reason, remedy = _GLOBAL
    hints = _HINT.findall(raw)
    lines = _LINE.findall(raw)
    line = int(lines[-1]) if lines else None
    why = reason or sentence_of(error)
    return Refused(why, remedy or (hints[0] if hints else _DEFAULT), line, raw)


def _by_type(error: BaseException) -> tuple[str, str]:
    """Why, and what to do, as far as its type tells; "" where it does not."""
    kind = type(error).__name__
    if kind != _BREAK:
        return _WORDS.get(kind, ("", ""))
    words = words_of(parse_message(str(error)))
    return f"{words.what}: {words.why}".removesuffix(": "), words.remedy
