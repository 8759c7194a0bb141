"""Where a function first reads a guarded value. Dynamo's text of a guard names the line that
installed it, which for a module's inputs and parameters is a line of torch."""

import dis
import re
from types import CodeType

from compiler_core.snippet.source import is_own

# Where a module keeps its submodules, parameters and buffers: in these attributes, or, if the
# program sets one, in its __dict__.
HELD = r"(?:\._(?:modules|parameters|buffers)|\.__dict__\['_(?:modules|parameters|buffers)'\])"
# The name of a variable, and of the attribute or submodule of it that is read.
_READ = re.compile(
    rf"\b[LG]\['(?P<name>\w+)'\](?:{HELD}\['(?P<held>[^']+)'\]"
    r"|\.(?P<attribute>[A-Za-z]\w*)\b(?!\())?"
)


def first_read(code: CodeType, text: str) -> int | None:
    """The first line of `code` that reads the value in Dynamo's `text` of a guard, as `y =
    self.up(x)` reads `L['self']._modules['up']._parameters['weight']`: the line that reads the
    attribute, else the variable. None if no line does, or if `code` is not the snippet's."""
    found = _READ.search(text)
    if found is None or not is_own(code.co_filename):
        return None
    attribute = found["held"] or found["attribute"]
    lines = [_line(code, name) for name in (attribute, found["name"]) if name]
    return next((line for line in lines if line is not None), None)


def _line(code: CodeType, name: str) -> int | None:
    """The first that loads what is called so."""
    loads = (i for i in dis.get_instructions(code) if i.opname.startswith("LOAD_"))
    return next((i.positions.lineno for i in loads if name in _names(i) and i.positions), None)


def _names(load: dis.Instruction) -> tuple[object, ...]:
    """From Python 3.13 on, one instruction may load two variables."""
    return load.argval if isinstance(load.argval, tuple) else (load.argval,)
