"""What another framework provides for a program that it has handed over as StableHLO."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from compiler_core.report import Inside


@dataclass(frozen=True)
class Front:
    """`id` is that of the framework's look; `texts` are its texts by name; `outputs` are its own
    results for the program's arguments; `lines` has the snippet's line of each operation, by the
    operation's name in the texts."""

    id: Inside
    version: str
    texts: Mapping[str, str]
    outputs: tuple[np.ndarray[Any, Any], ...]
    lines: Mapping[str, int]
