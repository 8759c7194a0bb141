"""What each of JAX's transformations turned its function into.

The program is traced again, while a profile function sees all calls of transformed functions,
however the snippet made them: `grad` imported by name, a decorator, a chain of transformations. For
each, the original function is traced as it was called, and so is the transformed one, inside the
trace in which it is called, since it may use values of that trace.
"""

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import jax

from compiler_core.reference.jax import private
from compiler_core.reference.jax.abstract import AbstractCall
from compiler_core.snippet.naming import name_of
from compiler_core.snippet.source import is_own, position

_MOST = 8


@dataclass(frozen=True)
class Transformed:
    """A function before and after a transformation, as closed jaxprs; `line` is the snippet's line
    that calls the transformed one. `residuals` are what a backward pass saves of the forward
    pass."""

    transform: str
    function: str
    line: int | None
    before: Any = None
    after: Any = None
    residuals: tuple[tuple[Any, str], ...] = ()
    # Why it cannot be shown, where it cannot.
    reason: str = ""


def transformed(trace: Callable[[], Any]) -> list[Transformed]:
    """The transformed functions that are called while `trace` runs, each once; at most the first
    few."""
    seen = _Seen()
    private.forget_traces()
    with _profiled(seen.event):
        trace()
    return seen.found


@contextmanager
def _profiled(event: Any) -> Iterator[None]:
    before = sys.getprofile()
    sys.setprofile(event)
    try:
        yield
    finally:
        sys.setprofile(before)


@dataclass
class _Seen:
    found: list[Transformed] = field(default_factory=list)
    _met: set[Any] = field(default_factory=set)

    def event(self, frame: FrameType, event: str, _: Any) -> None:
        """A profile function: it is not called for what it runs itself."""
        code = frame.f_code
        if event != "call" or code.co_qualname not in private.TRANSFORMS:
            return
        if Path(code.co_filename).name in private.FILES and len(self.found) < _MOST:
            self._called(frame, private.TRANSFORMS[code.co_qualname])

    def _called(self, frame: FrameType, transform: str) -> None:
        caller = _caller(frame)
        if caller is not None and caller.f_code.co_qualname in private.GRAD:
            transform, caller = "grad", _caller(caller)
        if caller is not None and Path(caller.f_code.co_filename).name == private.FILES[0]:
            return  # a part of another transformation
        try:
            site = _site(frame, transform)
            key = transform, getattr(site.function, "__code__", id(site.function))
            if key not in self._met and (transform in _ANYWHERE or _is_users(site.function)):
                self._met.add(key)
                self.found.append(_shown(site, transform, _line(frame)))
        except Exception as error:  # the program's own trace must not end by it
            reason = str(error).strip().splitlines() or [type(error).__name__]
            self.found.append(Transformed(transform, "", _line(frame), reason=reason[0]))
        finally:  # what was traced here unseen is traced once more where it is seen
            private.forget_traces()


# Transformations that are shown wherever they are called; custom rules only if they are the user's,
# since JAX's own functions have such rules too.
_ANYWHERE = frozenset(private.TRANSFORMS.values()) - {"custom_jvp", "custom_vjp"} | {"grad"}


def _is_users(fn: Any) -> bool:
    code = getattr(fn, "__code__", None)
    return isinstance(code, CodeType) and is_own(code.co_filename)


@dataclass(frozen=True)
class _Site:
    """What a transformation was given, how what it made was called, and what makes it anew of
    another function."""

    function: Any
    call: AbstractCall
    again: Callable[[Any], Callable[..., Any]]


def _site(frame: FrameType, transform: str) -> _Site:
    """Raises KeyError where a version's functions have other names within."""
    own = frame.f_locals
    if transform == "jvp":
        call = AbstractCall.of((own["primals"], own["tangents"]), {})
        return _Site(own["fun"], call, lambda f: lambda p, t: jax.jvp(f, p, t))
    if transform == "vjp":
        return _Site(own["fun"], AbstractCall.of(own["primals"], {}), _pulled_back)
    call = AbstractCall.of(own["args"], own["kwargs"])
    if transform in ("custom_jvp", "custom_vjp"):
        rule = own["self"]
        return _Site(rule.fun, call, lambda _: _pulled_back(rule))
    return _Site(own["fun"], call, lambda f: _rebuilt(frame, f, transform))


def _pulled_back(fn: Any) -> Callable[..., Any]:
    """The function's value, and the gradients of its arguments for one of the value."""

    def both(*args: Any) -> Any:
        value, pull = jax.vjp(fn, *args)
        return value, pull(value)

    return both


def _rebuilt(frame: FrameType, fn: Any, transform: str) -> Callable[..., Any]:
    """The function of the frame, which a transformation made, as if it had been given `fn`."""
    code, own = frame.f_code, frame.f_locals
    values = ({**own, "fun": fn}[name] for name in code.co_freevars)
    cells = tuple(map(types.CellType, values))
    rebuilt = types.FunctionType(code, frame.f_globals, closure=cells)
    if transform != "grad":
        return rebuilt
    has_aux = own["has_aux"]

    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, gradients = rebuilt(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return gradient


def _shown(site: _Site, transform: str, line: int | None) -> Transformed:
    """Traces both; the function before where the transformation calls it: there it may use the
    names of axes."""
    inner: list[tuple[AbstractCall, Any]] = []

    def spied(*args: Any, **kwargs: Any) -> Any:
        if not inner:
            call = AbstractCall.of(args, kwargs)
            inner.append((call, call.jaxpr(site.function)))
        return site.function(*args, **kwargs)

    after = site.call.jaxpr(site.again(spied))
    # A rule calls no function that it was given.
    call, before = inner[0] if inner else (site.call, site.call.jaxpr(site.function))
    kept = _residuals(site.function, call) if transform in _BACKWARD else ()
    return Transformed(transform, name_of(site.function), line, before, after, kept)


_BACKWARD = frozenset(("grad", "value_and_grad", "vjp", "jacrev"))


def _residuals(fn: Any, call: AbstractCall) -> tuple[tuple[Any, str], ...]:
    args, kwargs = call.with_arrays(call.types)
    return tuple(private.residuals(fn, *args, **kwargs))


def _caller(frame: FrameType) -> FrameType | None:
    found = frame.f_back
    while found is not None and found.f_code.co_name == private.FILTER:
        found = found.f_back
    return found


def _line(frame: FrameType) -> int | None:
    """The innermost line of the snippet that is running."""
    found: FrameType | None = frame
    while found is not None and not is_own(found.f_code.co_filename):
        found = found.f_back
    return position(found.f_code, found.f_lasti)[0] if found is not None else None
