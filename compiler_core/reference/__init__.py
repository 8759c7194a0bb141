"""Reference compilers on the same program; a compiler's package has its id in the registry, without
its mode."""

import importlib
from dataclasses import replace

from compiler_core.capture.captured import Captured
from compiler_core.reference.result import Reference, failed
from compiler_core.report import Compiler, Framework, mode_of, package_of
from compiler_core.snippet.raised import is_interrupt


def prepare(compiler: Compiler, captured: Captured, framework: Framework) -> Reference:
    """The program compiled by a reference compiler, or why it is not: a refusal, or the first line
    of what the compiler raised. Raises nothing but a person's KeyboardInterrupt."""
    mode = {"mode": mode_of(compiler)} if mode_of(compiler) else {}
    try:
        module = importlib.import_module(f"compiler_core.reference.{package_of(compiler)}.prepare")
        found: Reference = module.prepare(captured, framework, **mode)
    except BaseException as error:
        if is_interrupt(error):
            raise
        return failed(compiler, error)
    return replace(found, compiler=compiler)
