"""The functions and modules that a snippet calls with tensors, where it compiles none of them. A
profile function (sys.setprofile) sees every Python call while the snippet runs; the outermost calls
that return tensors are kept."""

import inspect
import sys
from collections.abc import Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any

from compiler_core.report import Framework
from compiler_core.snippet.applied import applied, applies
from compiler_core.snippet.circumstances import Journal
from compiler_core.snippet.compiled import Compiled, defined_at
from compiler_core.snippet.declared import declared_sizes
from compiler_core.snippet.frames import (
    arguments,
    calling_line,
    has_results,
    has_tensors,
    is_within_constructor,
)
from compiler_core.snippet.framework import framework_of
from compiler_core.snippet.function_identity import identity_of
from compiler_core.snippet.loop import Loop
from compiler_core.snippet.methods import is_step, method_of, owner_kind, runs_alone
from compiler_core.snippet.naming import is_transform
from compiler_core.snippet.original import original
from compiler_core.snippet.private import module_call, transformed_again, transforms
from compiler_core.snippet.source import FILE, Source
from compiler_core.snippet.specs import is_traced, with_own_values
from compiler_core.snippet.untraced import untraced
from compiler_core.snippet.varying import Varying

_MOST = 8
# A method that calls known functions more often than this is a loop around them.
_LOOP = 4
# The name under which functions returned by JAX's transformations run; `fun` is the transformed
# one.
_JAX = "reraise_with_filtered_traceback"
_UNNAMED = frozenset(("<module>", "<lambda>", "<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"))


@dataclass
class _Pending:
    """A call that has not returned, with those within it."""

    frame: FrameType
    call: Compiled
    inner: list[Compiled] = field(default_factory=list)
    # What it calls that is known, once for each such call.
    again: list[Any] = field(default_factory=list)


class Seen:
    """A context in which calls are recorded; afterwards `calls` returns them."""

    def __init__(self, source: Source, module: ModuleType, journal: Journal) -> None:
        self._source, self._module, self._journal = source, module, journal
        self._pending: list[_Pending] = []
        self._known: set[int] = set()
        # By tools of the frameworks that are given a function and arguments.
        self.by_tools: list[Compiled] = []
        self._own: list[Compiled] = []
        # Those that give numbers or NumPy's arrays, and call nothing that gives tensors: of a
        # snippet without others.
        self._asked: list[Compiled] = []
        # Methods of objects that are no modules, and steps of optimizers: of a snippet that calls
        # nothing else.
        self._of_objects: list[Compiled] = []
        self._steps: list[Compiled] = []
        self.loops: list[Loop] = []
        self._before: Any = None
        # By code, and by the function that was transformed.
        self._transformed: dict[tuple[CodeType, int], Any] = {}
        self._transformations: dict[Any, Any] = {}
        self._methods: dict[tuple[int, str], Any] = {}

    def __enter__(self) -> "Seen":
        self._before = sys.getprofile()
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(self._before)
        self._pending.clear()

    @property
    def calls(self) -> list[Compiled]:
        """The recorded calls, at most 8. torch modules without parameters (a loss, an activation)
        count only if nothing else is called."""
        found = self.by_tools or self._own or self._of_objects or self._steps or self._asked
        return ([c for c in found if not _is_helper(c.fn)] or found)[:_MOST]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Context in which no calls are recorded, and no profile function is called for them: a
        compiler makes many. A snippet's own profile function goes on."""
        hears = sys.getprofile() == self._profile
        if hears:
            sys.setprofile(None)
        try:
            yield
        finally:
            if hears:
                sys.setprofile(self._profile)

    def by_tool(
        self,
        fn: Any,
        framework: Framework,
        args: Any,
        kwargs: Any,
        shapes: Any = None,
    ) -> None:
        """Records that a tool of a framework was given `fn`, the arguments of a call, and which of
        their sizes vary."""
        call = Compiled(fn, framework, defined_at(fn, self._source))
        if isinstance(call.calls, Varying):
            call.shapes, call.calls.declared = shapes, declared_sizes(fn, args, kwargs, shapes)
        _give(call, tuple(args), dict(kwargs))
        call.under_way(self._journal)
        if not any(c.fn is fn for c in self.by_tools):
            self.by_tools.append(call)

    def _profile(self, frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            code = frame.f_code
            if code.co_filename == FILE or code.co_name in _ENTRIES:
                self._called(frame, code)
        elif event == "return" and self._pending and self._pending[-1].frame is frame:
            self._returned(self._pending.pop(), arg)

    def _called(self, frame: FrameType, code: CodeType) -> None:
        try:
            fn, args, kwargs = self._subject(frame, code)
            if fn is None or self._is_known(fn) or not _is_run(frame, fn, (args, kwargs)):
                return
            if _is_within_autograd(args) or is_within_constructor(frame):
                return
        except Exception:  # an object of the snippet that cannot be looked at is none of ours
            return
        call = Compiled(fn, framework_of(fn, self._module), defined_at(fn, self._source))
        if call.framework == "jax":
            call.options = untraced(args, kwargs)
        call.called = calling_line(frame)
        _give(call, args, kwargs)
        call.under_way(self._journal)
        self._pending.append(_Pending(frame, call))

    def _is_known(self, fn: Any) -> bool:
        known = id(fn) in self._known
        if known and self._pending:
            self._pending[-1].again.append(fn)
        return known

    def _subject(self, frame: FrameType, code: CodeType) -> tuple[Any, Any, Any]:
        """The function, module or transformed function that the frame is a call of, with its
        arguments; None for others."""
        names = frame.f_locals
        if code.co_filename != FILE:
            caller = frame.f_back
            if caller is None or caller.f_code.co_filename != FILE:
                return None, (), {}
            if code is _module_call():
                return names["self"], names["args"], names["kwargs"]
            if code is applies():
                return self._applied(names["cls"]), names["args"], {}
            if code.co_name == _JAX and is_transform(names.get("fun")):
                return self._same(names["fun"]), names["args"], names["kwargs"]
            if code in _transforms():
                return self._again(frame, code), names["args"], names.get("kwargs", {})
            return None, (), {}
        if code.co_name in _UNNAMED:
            return None, (), {}
        found: Any = self._module.__dict__.get(code.co_name)
        found = original(found)
        if getattr(inspect.unwrap(found), "__code__", None) is code:
            return (found, *arguments(frame, code))
        method = method_of(frame, code)
        if method is None:
            return None, (), {}
        args, kwargs = arguments(frame, code)
        return self._one(method), args[1:], kwargs

    def _one(self, method: Any) -> Any:
        """One object for one method."""
        key = id(getattr(method, "__self__", method)), getattr(method, "__name__", "")
        return self._methods.setdefault(key, method)

    def _applied(self, cls: Any) -> Any:
        """One function for one class."""
        key = id(cls), "apply"
        if key not in self._methods:
            self._methods[key] = applied(cls)
        return self._methods[key]

    def _same(self, fn: Any) -> Any:
        """One object for what a transformation of JAX's returns each time of one function."""
        return self._transformations.setdefault(identity_of(fn), fn)

    def _again(self, frame: FrameType, code: CodeType) -> Any:
        """What a transformation of torch.func returned; one object for one function."""
        fn = transformed_again(code, frame.f_locals)
        return self._transformed.setdefault((code, id(frame.f_locals["func"])), fn)

    def _returned(self, done: _Pending, result: Any) -> None:
        """Where no tensor comes back, as of `main()`, the calls within it count."""
        outer = self._pending[-1].inner if self._pending else self._own
        try:
            gives = has_results(result)
        except Exception:
            gives = False
        kind = _kind(done.call.fn)
        if kind in ("optimizer", "object") and is_step(done.frame.f_code.co_name):
            self._note(self._steps, done)
        if not gives or kind in ("optimizer", "object") or _is_no_unit(done):
            outer += done.inner
            if gives and _is_loop(done):
                calls = (*(c.fn for c in done.inner), *done.again)
                self.loops.append(Loop(done.call, calls))
            if gives and kind == "object" and not self._pending:
                self._note(self._of_objects, done)
            self._note_number(done, result)
            return
        self._known.add(id(done.call.fn))
        outer.append(done.call)
        if done.call.framework == "torch":
            done.call.watch(result)

    def _note_number(self, done: _Pending, result: Any) -> None:
        if not done.inner and (type(result) in (bool, float) or has_tensors(result)):
            self._note(self._asked, done)

    def _note(self, noted: list[Compiled], done: _Pending) -> None:
        if not any(c.fn is done.call.fn for c in noted):
            noted.append(done.call)


_ENTRIES = ("_wrapped_call_impl", "apply", _JAX, "wrapper", "wrapped", "wrapper_fn")


def _kind(fn: Any) -> str:
    """Of a method what it is of; "" for anything else."""
    return owner_kind(fn.__self__) if inspect.ismethod(fn) else ""


def _is_no_unit(done: _Pending) -> bool:
    """Whether a method is a loop around others, or makes tensors without computing with any, as
    what an object is started with."""
    args, kwargs = done.call.first or done.call.abstract or ((), {})
    computes = done.again or done.inner or has_tensors((args, kwargs))
    return _is_loop(done) or (inspect.ismethod(done.call.fn) and not computes)


def _is_loop(done: _Pending) -> bool:
    return inspect.ismethod(done.call.fn) and len(done.again) > _LOOP


def _is_run(frame: FrameType, fn: Any, given: Any) -> bool:
    # `kernel(L=100)` computes with the parameters of the module.
    owner = fn.__self__ if inspect.ismethod(fn) else fn
    alone = (inspect.ismethod(fn) or owner_kind(owner) == "module") and runs_alone(frame, owner)
    return alone or has_tensors(given)


def _is_within_autograd(args: Sequence[Any]) -> bool:
    """Whether autograd calls it, with its own notes of one pass, which are gone by the next."""
    torch = sys.modules.get("torch")
    return torch is not None and any(
        isinstance(x, torch.autograd.function.FunctionCtx) for x in args
    )


def _give(call: Compiled, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    args, kwargs = with_own_values((args, kwargs))
    if is_traced((args, kwargs)):
        call.abstract = (args, kwargs)
    else:
        call.meet(args, kwargs)


def _transforms() -> Container[CodeType]:
    return transforms() if "torch" in sys.modules else ()


def _module_call() -> CodeType | None:
    return module_call() if "torch" in sys.modules else None


def _is_helper(fn: Any) -> bool:
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(fn, torch.nn.Module):
        return False
    return type(fn).__module__.startswith("torch.") and not any(True for _ in fn.parameters())
