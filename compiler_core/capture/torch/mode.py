"""The base of torch's dispatch modes here."""

from collections.abc import Mapping, Sequence
from typing import Any

from compiler_core.interop.private import TorchDispatchMode

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]


class Mode(TorchDispatchMode):
    """A dispatch mode in which each operation is computed by `does`."""

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        """The results of the operation `func`; subclasses override it."""
        return func(*args, **kwargs)

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Args = (), kwargs: Kwargs | None = None
    ) -> Any:
        return self.does(func, args, kwargs or {})


class Instead(Mode):
    """A mode that computes some operations in another way; `called` says whether there was any."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.called = False
