"""Two front doors, torch and jax, into one IR; each walks one table."""

from compiler_core.capture.captured import Captured
from compiler_core.snippet.program import FoundProgram


def capture(program: FoundProgram) -> Captured:
    """The program as a graph. Raises CaptureError naming the snippet's line."""
    if program.framework == "torch":
        from compiler_core.capture import torch

        return torch.capture(program)
    from compiler_core.capture import jax

    return jax.capture(program)
