"""The random numbers that one run of a torch program draws, given to another run.

A generator's stream depends on the type that is drawn: in float64 a program would draw other
numbers. It is therefore given those that it drew in its own types, one draw after the other.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from compiler_core.capture.torch.mode import Args, Kwargs, Mode
from compiler_core.errors import NoReference
from compiler_core.interop.private import pytree

_ATEN = torch.ops.aten
Draw = tuple[Any, Any]  # an operation, and what it gave or wrote


class Drawn(Mode):
    """Context in which the random numbers that operations return are recorded in `draws`. `unknown`
    names an operation whose random numbers cannot be seen, "" if there was none."""

    def __init__(self) -> None:
        super().__init__()
        self.draws: list[Draw] = []
        self.unknown = ""

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        seeded = torch.Tag.nondeterministic_seeded in func.tags
        before = _states() if seeded else []
        result = func(*args, **kwargs)
        if seeded and not all(map(torch.equal, before, _states())):
            self.draws.append((func, pytree.tree_map(_copy, result)))
            self.unknown = self.unknown or ("" if _is_known(func) else str(func))
        return result

    def again(self) -> "Redrawn":
        """A context that gives another run the same numbers. Raises NoReference where some are
        unknown."""
        if self.unknown:
            raise NoReference(RuntimeError(f"the random numbers of {self.unknown} are not seen"))
        return Redrawn(self.draws)


class Redrawn(Mode):
    """Within the context, operations return what they returned in `draws`. Raises RuntimeError if
    the program draws differently than it did there."""

    def __init__(self, draws: Sequence[Draw]) -> None:
        super().__init__()
        self._given: Iterator[Draw] = iter(draws)

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        if torch.Tag.nondeterministic_seeded not in func.tags or not _is_known(func):
            return func(*args, **kwargs)
        draw = next(self._given, None)
        if draw is None or draw[0] is not func:
            raise RuntimeError("in float64 the program draws other random numbers")
        return _BY_MASK[func](draw[1], *args) if func in _BY_MASK else _given(func, draw[1], args)


def _given(func: Any, drawn: Any, args: Sequence[Any]) -> Any:
    return args[0].copy_(drawn) if func._schema.is_mutable else drawn


def _states() -> list[torch.Tensor]:
    accelerator = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else []
    return [torch.get_rng_state(), *accelerator]


def _copy(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


def _is_known(func: Any) -> bool:
    """Whether what it gives or writes to its first argument is what it draws, or a mask of that."""
    return func in _BY_MASK or func._schema.name.removeprefix("aten::").rstrip("_") in _SAMPLES


_SAMPLES = frozenset(
    {
        "bernoulli", "binomial", "cauchy", "exponential", "geometric", "log_normal", "multinomial",
        "normal", "normal_functional", "poisson", "rand", "rand_like", "randint", "randint_like",
        "randn", "randn_like", "random", "randperm", "uniform", "_standard_gamma",
        "_sample_dirichlet",
    }
)  # fmt: skip


def _dropout(drawn: Any, x: torch.Tensor, p: float, train: bool | None = True) -> Any:
    mask = drawn[1]
    return x * mask / (1 - p) if p < 1 else x * 0, mask


def _kept(drawn: Any, x: torch.Tensor, p: float, *_: Any) -> Any:
    """With the probability to be kept, not to be left out."""
    return _dropout(drawn, x, 1 - p)


_BY_MASK: Mapping[Any, Callable[..., Any]] = {
    _ATEN.native_dropout.default: _dropout,
    _ATEN._fused_dropout.default: _kept,
}
