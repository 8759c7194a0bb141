"""Two front doors, torch and jax, into one IR; each walks one table."""

from compiler_core.capture.captured import Captured
from compiler_core.snippet.program import FoundProgram


def capture(program: FoundProgram) -> Captured:
    """The program as a graph. Raises CaptureError naming the snippet's line."""
    if program.framework == "torch":
        from compiler_core.capture.torch import capture as torch

        return torch.capture(program)
    from compiler_core.capture.jax import capture as jax

    return jax.capture(program)
