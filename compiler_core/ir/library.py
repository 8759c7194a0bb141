"""What a `library_call` calls: the framework's own kernel, for what the core does not lower."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from compiler_core.ir.graph import Operation


@dataclass(frozen=True, eq=False)
class Callee:
    """A kernel of a framework. `call` takes the operands as that framework's tensors
    (torch.Tensor or jax.Array) and returns one tensor or a tuple. `reason` says why the core
    does not lower it."""

    name: str
    framework: Literal["torch", "jax"]
    reason: str = ""
    call: Callable[..., Any] = field(repr=False, default=lambda *_: None)
    # It draws from a generator that is no operand: two runs give different numbers.
    draws_random_numbers: bool = False
    # The program's own generators that it draws from (torch.Generator).
    generators: tuple[Any, ...] = ()
    # It is called only for the error that it may raise: its result, without elements, says that it
    # has run.
    checks: bool = False

    def results(self, *operands: Any) -> tuple[Any, ...]:
        """What `call` returns, always as a tuple."""
        result = self.call(*operands)
        return tuple(result) if isinstance(result, tuple | list) else (result,)

    def __str__(self) -> str:
        return self.name


def callee_of(operation: "Operation") -> Callee | None:
    """What a library call calls; None for every other operation."""
    return dict(operation.attrs).get("callee")


def is_check(operation: "Operation") -> bool:
    """Whether an operation is called only for the error that it may raise, such as an assertion."""
    callee = callee_of(operation)
    return callee is not None and callee.checks


def generators_of(operations: Iterable["Operation"]) -> list[Any]:
    """The generators of the program's own that library calls draw from, each once."""
    callees = filter(None, map(callee_of, operations))
    return [*{id(g): g for callee in callees for g in callee.generators}.values()]


def draws_from_generator(operation: "Operation") -> bool:
    """Whether a library call draws from a random generator whose state is no operand of it."""
    callee = callee_of(operation)
    return callee is not None and callee.draws_random_numbers
