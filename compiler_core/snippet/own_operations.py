"""torch's messages about an operator of the snippet's own (torch.library) that lacks what a
compiler needs, in plain words: as an error, as a graph break, or on export."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Lack:
    """Why a program with the operation cannot be compiled, in one sentence, and what to do."""

    why: str
    remedy: str


# By a part of torch's message: the words, with a place for the operator's name.
_LACKS = {
    re.compile(r"no fake impl (?:registered|or Meta kernel)"): Lack(
        "{op} has no fake implementation: what it gives is known only by running it",
        "register a fake implementation, which torch.compile and torch.export ask for: a function "
        "under register_fake that gives an empty tensor of the result's shape and type",
    ),
    re.compile(r"no autograd formula was registered"): Lack(
        "{op} has no formula for its gradient, and an input of it asks for one",
        "register the formula by register_autograd, or give it inputs that record no gradient "
        "(x.detach(), torch.no_grad())",
    ),
}
_NAMES = (
    re.compile(r"<CustomOpDef\(([\w:.]+)\)>"),
    re.compile(r"([\w.]+::\w+)(?:\.\w+)?: attempted to run"),
    re.compile(r"backward through (\w+\.\w+)(?:\.\w+)? but"),
)


def lack_of(message: str) -> Lack | None:
    """What the operator in the message lacks; None if the message is about something else."""
    said = next((lack for words, lack in _LACKS.items() if words.search(message)), None)
    return said and Lack(said.why.format(op=_name(message)), said.remedy)


def _name(message: str) -> str:
    """The operation as torch.library has it, mine::twice."""
    found = next((m for m in (name.search(message) for name in _NAMES) if m), None)
    if found is None:
        return "an operation of the snippet's own"
    return found[1] if "::" in found[1] else found[1].replace(".", "::", 1)
