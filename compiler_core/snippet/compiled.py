"""A callable of the snippet, with the arguments of its first call."""

import functools
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from compiler_core.report import Framework
from compiler_core.snippet import specs
from compiler_core.snippet.ambient_mesh import Ambient, ambient_now
from compiler_core.snippet.calls import Calls
from compiler_core.snippet.circumstances import (
    Autocast,
    Flags,
    Journal,
    attributes,
    autocast_now,
    changed,
    flags_of,
    marks_on,
    retyped,
    types,
    under,
)
from compiler_core.snippet.forms import Form, as_given, forms_of
from compiler_core.snippet.mixed import apart
from compiler_core.snippet.names import named_by, plain_of
from compiler_core.snippet.naming import is_transform, name_of, transformed
from compiler_core.snippet.program import Again, CompiledAgain, FoundProgram
from compiler_core.snippet.settings import Settings, settings_now
from compiler_core.snippet.signature import argument_names, parameters, static_names
from compiler_core.snippet.source import FILE, Source, place
from compiler_core.snippet.varying import Fixed, Varying

Call = Callable[..., Any]
# The most later calls; their arguments are kept, not copied.
_MOST_LATER = 8
_MOST_MADE = 32
# Parameters that take any number of arguments.
_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(eq=False)
class Compiled:
    """A function or module that the snippet compiles, or only calls. Compiling the same function
    twice creates two of them."""

    fn: Call
    framework: Framework
    # The line that defines it in the snippet; None for what is defined elsewhere, such as a module
    # of torch's own.
    defined: int | None
    options: dict[str, Any] = field(default_factory=dict)
    first: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    # The arguments of a call inside a transformation: shapes and types, no values.
    abstract: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    # The gradients that a backward pass of the snippet gave to the first call's results, by
    # position.
    gradients: dict[int, Any] = field(default_factory=dict)
    # The lines of that call and of the backward pass.
    called: int | None = None
    backward: int | None = None
    # The moment of that call in the journal of modules' modes; None if it was inside of a
    # transformation.
    moment: int | None = None
    autocast: Autocast | None = None
    # torch's settings at that call.
    settings: Settings = ()
    # The numbers, strings and flags of its modules at that call.
    flags: Flags = ()
    # The forms that the tensors among its arguments had.
    forms: Mapping[int, Form] = field(default_factory=dict)
    # The dtypes of their tensors.
    types: Flags = ()
    # The marks on tensors among its arguments.
    marks: Flags = ()
    # The JAX mesh that was in force.
    mesh: Ambient | None = None
    # torch.export's `dynamic_shapes`.
    shapes: Any = None
    # The function that JAX made for the snippet, over several devices if it asked for them.
    own: Any = None
    # Its calls: which of them need a compilation of their own, and which sizes vary among them.
    calls: Varying | Fixed = field(init=False)
    # The different calls of a torch function, as they were made.
    different: Calls = field(init=False)
    # The arguments of the last call that it was compiled for, each as text.
    shown: list[str] = field(default_factory=list)
    # For a JAX function, the first few later calls that differ from all calls before them.
    later: list[Again] = field(default_factory=list)
    # The lines of the further ones, whose arguments are not kept.
    _further_lines: list[int | None] = field(default_factory=list)
    # The first few calls, equal ones too, and how many there were.
    first_calls: list[Again] = field(default_factory=list)
    count: int = 0
    # The calls that needed a compilation of their own after the first.
    recompiled: list[CompiledAgain] = field(default_factory=list)
    # The line that passed it to torch.compile or jax.jit.
    given: int | None = field(init=False)

    def __post_init__(self) -> None:
        torch = self.framework == "torch"
        self.calls = Varying(self.options.get("dynamic")) if torch else self._fixed()
        self.different = Calls(self.fn)
        self.given = running_line()

    def _fixed(self) -> Fixed:
        """Of a function of JAX's; none of its arguments is traced where it is not compiled."""
        if "static_argnums" not in self.options:
            return Fixed()
        every = parameters(self.fn)
        names = argument_names(self.fn)
        static = static_names(names, self.options)
        return Fixed(frozenset(p.name for p in every if p.kind not in _SEVERAL) - static, names)

    @property
    def line(self) -> int | None:
        """The snippet's line for it: where it is defined, else first called, else passed to a
        tool."""
        return self.defined or self.called or self.given

    def meet(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """Records a call. Returns how it differs from the last one for which the function was
        compiled, if it has to be compiled again; else ""."""
        if self.framework == "jax" and len(self.first_calls) < _MOST_MADE:
            self.first_calls.append(Again(args, kwargs, running_line(), self.count))
        self.count += 1
        if isinstance(self.calls, Fixed) and self.calls.is_other(args, kwargs) and self.first:
            self._later(Again(args, kwargs, running_line(), self.count - 1))
        if not self.calls.meet(args, kwargs):
            return ""
        before, self.shown = self.shown, specs.shown((args, kwargs))
        if self.first is None:
            self.first = (args, kwargs)
            return ""
        change, symbols = specs.change(before, self.shown), bool(self.calls.found)
        self.recompiled.append(CompiledAgain(running_line(), change, symbols))
        return change + (", with a symbol for what changed" if symbols else "")

    def _later(self, call: Again) -> None:
        if len(self.later) < _MOST_LATER:
            self.later.append(call)
        else:
            self._further_lines.append(call.line)

    def watch(self, result: Any) -> None:
        """Records a backward pass through a result of a torch program."""
        from compiler_core.interop.structures import leaves_of

        for number, leaf in enumerate(leaves_of(result)):
            if getattr(leaf, "requires_grad", False) and not specs.is_abstract(leaf):
                leaf.register_hook(functools.partial(self._gradient, number))

    def _gradient(self, number: int, gradient: Any) -> None:
        if self.backward is None:
            self.backward = running_line()
        self.gradients.setdefault(number, gradient)

    def under_way(self, journal: Journal) -> None:
        """Records the circumstances of the first call (circumstances.py)."""
        self.moment, self.autocast = journal.now, autocast_now()
        given = flags_of(specs.leaves(self.first))
        named = *plain_of(self.fn), *named_by(self.fn)
        self.flags = (*named, *attributes(self.fn), *given)
        self.forms = forms_of(specs.leaves(self.first)) if self.framework == "torch" else {}
        self.types = types(self.fn) if self.framework == "torch" else ()
        self.settings = settings_now() if self.framework == "torch" else ()
        self.marks = marks_on(specs.leaves(self.first))
        self.mesh = ambient_now() if self.framework == "jax" else None

    def with_values(self, device: str) -> None:
        """Gives the first call random values, where all calls were inside of transformations."""
        if self.first is None and self.abstract is not None:
            self.first = specs.with_values(self.abstract, self.framework, device)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Of what JAX did not compile, a call of its arrays alone."""
        python = self.framework == "jax" and self.own is None
        return apart(self.fn, args, kwargs) if python else (self.fn, args, kwargs)

    @property
    def _left_out(self) -> tuple[int | None, ...]:
        """The lines of the different calls beside those whose arguments are kept."""
        if self.framework == "torch":
            return self.different.left_out
        return tuple(self._further_lines)

    def _before(self, journal: Journal) -> Flags:
        """What was otherwise at the first call than it is by now."""
        if self.moment is None:
            return ()
        return (*journal.at(self.moment), *changed(self.flags), *retyped(self.types))

    def program(self, name: str, journal: Journal) -> FoundProgram:
        """The FoundProgram of a callable that has been called."""
        assert self.first is not None
        given = as_given(self.first, self.forms) if self.forms else self.first
        fn, args, kwargs = self._call(*given)
        return FoundProgram(
            name,
            self.framework,
            self.line,
            under(self.autocast, fn),
            args,
            kwargs,
            tuple(self.options.get("static_argnums", ())),
            tuple(self.options.get("static_argnames", ())),
            donated=tuple(self.options.get("donated", ())),
            later=tuple(self.later),
            first_calls=tuple(self.first_calls),
            gradients=self.gradients,
            called=self.called,
            backward=self.backward,
            sizes=self.calls.sizes,
            ranges=self.calls.ranges,
            shapes=self.shapes,
            ran=True,
            before=self._before(journal),
            settings=self.settings,
            marks=self.marks,
            options=self.options if self.framework == "torch" else {},
            calls=self.different.all(journal),
            calls_left_out=self._left_out,
            recompiled=tuple(self.recompiled),
            mesh=self.mesh,
            own=self.own,
        )


def programs_of(called: list[Compiled], journal: Journal) -> list[FoundProgram]:
    """The programs of the callables, in order; repeated names are numbered."""
    names: dict[str, int] = {}
    found = []
    for each in called:
        name = name_of(each.fn)
        names[name] = names.get(name, 0) + 1
        numbered = name if names[name] == 1 else f"{name} ({names[name]})"
        found.append(each.program(numbered, journal))
    return found


def defined_at(fn: Any, source: Source) -> int | None:
    """The snippet's line where a function, or a module's class, is defined; None if nowhere."""
    if is_transform(fn):
        fn = transformed(fn)
    code = getattr(inspect.unwrap(getattr(fn, "__func__", fn)), "__code__", None)
    if code is not None and code.co_filename == FILE:
        return source.def_lines.get(code.co_firstlineno, code.co_firstlineno)
    return source.bindings.get(type(fn).__name__)


def from_snippet() -> bool:
    """Whether the caller of the caller is the snippet's own code."""
    return sys._getframe(2).f_code.co_filename == FILE


def running_line() -> int | None:
    """The snippet's line that is running."""
    at = place(2)
    return at[0] if at else None
