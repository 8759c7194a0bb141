"""What torch's modes of dispatch have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

from compiler_core.interop.private import TorchDispatchMode

Args = tuple[Any, ...]
Kwargs = Mapping[str, Any]


class Mode(TorchDispatchMode):
    """Within the context, `does` is what each operation of torch's does."""

    def does(self, func: Any, args: Args, kwargs: Kwargs) -> Any:
        """The results of the operation `func`."""
        return func(*args, **kwargs)

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Args = (), kwargs: Kwargs | None = None
    ) -> Any:
        return self.does(func, args, kwargs or {})


class Instead(Mode):
    """A mode in which some operations are done otherwise; `called` says whether any was."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()
        self.called = False
