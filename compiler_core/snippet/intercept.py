"""Calls through torch.compile and jax.jit."""

from compiler_core.snippet.output import Emit
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import Source


class Interceptor:
    def __init__(self, source: Source, emit: Emit) -> None:
        self._found: list[FoundProgram] = []

    def __enter__(self) -> "Interceptor":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def programs(self) -> list[FoundProgram]:
        return self._found
