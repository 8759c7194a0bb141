"""What torch says of an operation of the snippet's own that has no fake implementation, in plain
words: as an error, as a graph break, or of an export."""

import re

_SAID = re.compile(r"no fake impl (?:registered|or Meta kernel)")
_NAMES = (
    re.compile(r"<CustomOpDef\(([\w:.]+)\)>"),
    re.compile(r"([\w.]+::\w+)(?:\.\w+)?: attempted to run"),
)
_WHY = "{op} has no fake implementation: what it gives is known only by running it"
REMEDY = (
    "register a fake implementation, which torch.compile and torch.export ask for: a function "
    "under register_fake that gives an empty tensor of the result's shape and type"
)


def why_fakeless(message: str) -> str:
    """The reason, naming the operation; "" where the message is about something else."""
    if not _SAID.search(message):
        return ""
    found = next((m for m in (name.search(message) for name in _NAMES) if m), None)
    return _WHY.format(op=found[1] if found else "an operation of the snippet's own")
