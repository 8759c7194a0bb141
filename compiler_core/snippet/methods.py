"""Methods of the snippet's own objects, as a snippet calls them beside `forward`: `log_prob`,
`encode`, `generate`, the `step` of an optimizer."""

import inspect
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, Literal

from compiler_core.snippet.source import FILE
from compiler_core.snippet.specs import leaves

# A torch module, an optimizer of torch's kind, or any other object.
Owner = Literal["module", "optimizer", "object"]
_FORWARD, _CALL = "forward", "__call__"
_NO_PROGRAM = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def method_of(frame: FrameType, code: CodeType) -> Any:
    """The bound method that a frame of the snippet is a call of; None if it is no method call, or
    if an object is being constructed. For a module's `forward`, called by its name, the module; for
    the `__call__` of an object that is no module, the object."""
    private = code.co_name.startswith("_") and code.co_name != _CALL
    if not code.co_argcount or private or code.co_flags & _NO_PROGRAM:
        return None
    owner = frame.f_locals[code.co_varnames[0]]
    if type(owner).__module__ != "__main__" or _code(owner, code.co_name) is not code:
        return None
    callers = list(_callers(frame))
    if "__init__" in callers:
        return None
    kind = owner_kind(owner)
    if code.co_name == _CALL:
        return owner if kind == "object" else None
    if code.co_name == _FORWARD and kind == "module":
        return owner if _is_own(frame.f_back) else None
    return getattr(owner, code.co_name)


def owner_kind(owner: Any) -> Owner:
    """The kind of object that a method belongs to."""
    torch = sys.modules.get("torch")
    if torch is None:
        return "object"
    kinds: tuple[tuple[type, Owner], ...] = (
        (torch.nn.Module, "module"), (torch.optim.Optimizer, "optimizer"),
    )  # fmt: skip
    return next((kind for cls, kind in kinds if isinstance(owner, cls)), "object")


def runs_alone(frame: FrameType, owner: Any) -> bool:
    """Whether a call without tensors computes from what the object keeps: the snippet itself
    samples from a module, or lets an optimizer make its step."""
    kind = owner_kind(owner)
    if kind == "module":
        has_tensors = any(True for _ in owner.parameters())
        return has_tensors and next(iter(_callers(frame)), "") == "<module>"
    return is_step(frame.f_code.co_name) and (kind == "optimizer" or _keeps_tensors(owner))


def is_step(name: str) -> bool:
    """Whether optimizers have a method of this name."""
    return name == "step"


def _keeps_tensors(owner: Any) -> bool:
    return any(hasattr(x, "shape") and hasattr(x, "dtype") for x in leaves(vars(owner)))


def _code(owner: Any, name: str) -> CodeType | None:
    found = inspect.unwrap(getattr(type(owner), name, None))  # type: ignore[arg-type]
    return getattr(found, "__code__", None)


def _callers(frame: FrameType) -> Iterator[str]:
    """The names of the snippet's functions that run, the innermost first."""
    caller = frame.f_back
    while caller is not None:
        if _is_own(caller):
            yield caller.f_code.co_name
        caller = caller.f_back


def _is_own(frame: FrameType | None) -> bool:
    return frame is not None and frame.f_code.co_filename == FILE
