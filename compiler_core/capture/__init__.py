"""Capture: a PyTorch or JAX program becomes one graph of the IR, or several. Each framework has a
package, with one table from its operations to rules."""

from compiler_core.capture.captured import Captured
from compiler_core.snippet.program import FoundProgram


def capture(program: FoundProgram) -> Captured:
    """Traces the program with its framework and lowers the trace to the IR. Raises CaptureError
    with the snippet's line where the program cannot be traced."""
    if program.framework == "torch":
        from compiler_core.capture.torch import capture as torch

        return torch.capture(program)
    from compiler_core.capture.jax import capture as jax

    return jax.capture(program)
