"""A program through IREE, ready to be run and timed."""

from compiler_core.capture.captured import Captured
from compiler_core.reference import another_process
from compiler_core.reference.iree.given import given
from compiler_core.reference.result import Reference
from compiler_core.report import Framework


def prepare(captured: Captured, framework: Framework) -> Reference:
    """Compiles the program and runs it once; a refusal is a value. Raises ToolchainError where
    IREE fails."""
    return another_process.prepare("iree", captured, lambda: given(captured, framework))
