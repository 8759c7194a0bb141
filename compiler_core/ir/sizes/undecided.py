"""Questions about sizes that have no answer for all values of their symbols."""

from collections.abc import Callable, Iterable, Mapping

from compiler_core.errors import FuselabError
from compiler_core.ir.sizes.factors import Symbol


class Undecided(FuselabError):
    """The answer to a question about a symbolic size depends on the value of a symbol."""

    stage = "capture"

    def of(self, operation: str) -> "Undecided":
        """The same error, with the operation that asked named in its message."""
        return Undecided(f"{operation}: {self.message}")


class Depends(Undecided):
    """Raised for a yes-or-no question; `holds` says whether the answer for given values of the
    `symbols` is the same as for the captured call."""

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
        """The same error, with the operation that asked named in its message."""
        return Depends(f"{operation}: {self.message}", self.symbols, self.holds, self.line)
