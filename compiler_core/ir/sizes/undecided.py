"""Questions about sizes that have no answer for all values of their symbols."""

from collections.abc import Callable, Iterable, Mapping

from compiler_core.errors import FuselabError
from compiler_core.ir.sizes.factors import Symbol


class Undecided(FuselabError):
    """The answer to a question about a symbolic size depends on the value of a symbol."""

    stage = "capture"

    def of(self, operation: str) -> "Undecided":
        """The same, asked by an operation."""
        return Undecided(f"{operation}: {self.message}")


class Depends(Undecided):
    """A question that is answered by yes or no; `holds` says whether the answer for some values of
    the `symbols` is that of the captured call."""

    def __init__(
        self,
        message: str,
        symbols: Iterable[Symbol],
        holds: Callable[[Mapping[Symbol, int]], bool],
        line: int | None = None,
    ) -> None:
        super().__init__(message, line=line)
        self.symbols, self.holds = tuple(symbols), holds

    def of(self, operation: str) -> "Depends":
        """The same, asked by an operation."""
        return Depends(f"{operation}: {self.message}", self.symbols, self.holds, self.line)
