"""The snippet's own autograd functions where it applies them: `Square.apply(x)`."""

import inspect
import sys
from collections.abc import Callable
from types import CodeType
from typing import Any


def applies() -> CodeType | None:
    """The code object that runs first when an autograd function is applied; None before torch is
    loaded."""
    torch = sys.modules.get("torch")
    return None if torch is None else torch.autograd.Function.apply.__func__.__code__


def applied(cls: Any) -> Callable[..., Any]:
    """A function of the arguments of `cls.apply`, with the name of the class and the code of its
    forward."""

    def apply(*args: Any) -> Any:
        return cls.apply(*args)

    own = [*inspect.signature(cls.forward).parameters.values()]
    with_context = "setup_context" not in vars(cls)
    apply.__name__ = apply.__qualname__ = cls.__name__
    apply.__wrapped__ = cls.forward  # type: ignore[attr-defined]
    apply.__signature__ = inspect.Signature(own[with_context:])  # type: ignore[attr-defined]
    return apply
