"""What stands for a variable of a jaxpr while it is walked."""

from dataclasses import dataclass
from typing import Any

from compiler_core.ir.graph import Value


@dataclass
class Traced:
    """A variable's value, or the number of a literal; `name` is what the text calls it."""

    node: Value | None
    name: str
    number: Any = None
