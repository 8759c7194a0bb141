"""A program as a compiler in another process runs it, ready to be checked and timed."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from compiler_core.extras.program import Outputs, Remote
from compiler_core.interop import arrays, complex_pairs
from compiler_core.measure.runnable import Costs, Runnable

# What is said of its times.
TIMED_THERE = (
    "a process of its own: calls are timed there, by that process's clock, in the same rounds"
)


def runnable(
    program: Remote,
    flat: Callable[[Sequence[Any]], list[np.ndarray[Any, Any]]],
    costs: Costs,
) -> Runnable:
    """`flat` turns the program's inputs into arrays in the order of what was compiled."""

    def outputs(result: Outputs) -> list[torch.Tensor]:
        return [complex_pairs.paired(arrays.to_torch(each)) for each in program.fetch(result)]

    return Runnable(
        lambda inputs: program.load(flat(inputs)), program.call, outputs, costs, program.timed
    )
