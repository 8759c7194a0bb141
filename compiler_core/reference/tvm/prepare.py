"""A program compiled by TVM, ready to be run and timed."""

from compiler_core.capture.captured import Captured
from compiler_core.reference import another_process
from compiler_core.reference.result import Reference
from compiler_core.reference.tvm.exported import exported
from compiler_core.report import Framework


def prepare(captured: Captured, framework: Framework) -> Reference:
    """Compiles the program and runs it once. A program that cannot be exported is a Reference with
    the reason and nothing to run. Raises ToolchainError where TVM fails, and what torch.export
    raises."""
    return another_process.prepare("tvm", captured, lambda: exported(captured, framework))
