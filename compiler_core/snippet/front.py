"""What another framework said of a program that it has handed over as StableHLO."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from compiler_core.report import Inside


@dataclass(frozen=True)
class Front:
    """The framework by the look that shows it, with its version; its texts by their names; what it
    gave for the program's arguments itself; the snippet's line of each of its operations, by the
    names that its texts have them by."""

    id: Inside
    version: str
    texts: Mapping[str, str]
    outputs: tuple[np.ndarray[Any, Any], ...]
    lines: Mapping[str, int]
