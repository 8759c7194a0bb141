"""The two compilers that everybody else uses, on the same program: TorchInductor and XLA."""

from collections.abc import Callable

from compiler_core.capture.captured import Captured
from compiler_core.reference.result import Reference
from compiler_core.report import Framework


def prepare(compiler: str, captured: Captured, framework: Framework) -> Reference:
    """The program as "inductor" or "xla" makes it, or why there is none. Never raises for what
    a compiler does."""
    return _PREPARE[compiler](captured, framework)


def _inductor(captured: Captured, framework: Framework) -> Reference:
    from compiler_core.reference import inductor

    return inductor.prepare(captured, framework)


def _xla(captured: Captured, framework: Framework) -> Reference:
    from compiler_core.reference import xla

    return xla.prepare(captured, framework)


_PREPARE: dict[str, Callable[[Captured, Framework], Reference]] = {
    "inductor": _inductor,
    "xla": _xla,
}
