"""The value of a jaxpr's variable while the jaxpr is lowered."""

from dataclasses import dataclass
from typing import Any

from compiler_core.ir.graph import Value


@dataclass
class Traced:
    """The value of a jaxpr's variable while it is lowered, or the number of a literal; `name` is
    its name in the text."""

    node: Value | None
    name: str
    number: Any = None
