"""Intercepts torch.compile and jax.jit while a snippet runs.

Both are replaced meanwhile, for callers in the snippet only; libraries call the originals. The
replacements return wrappers that run the function eagerly and record its arguments. A function that
was called is a program, with the arguments of its first call; a later call with other shapes or
types is reported as a recompilation.
"""

import functools
import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from compiler_core.report import Framework
from compiler_core.snippet import specs
from compiler_core.snippet.naming import name_of
from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import FILE, Source, place
from compiler_core.snippet.varying import Sizes, sizes_of

Call = Callable[..., Any]


@dataclass(eq=False)
class Compiled:
    """A function or module that the snippet compiles, with the arguments of its first call.
    Compiling the same function twice makes two of them."""

    fn: Call
    framework: Framework
    line: int | None
    options: dict[str, Any] = field(default_factory=dict)
    first: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    seen: list[str] = field(default_factory=list)
    # The arguments of a call inside a JAX transformation: shapes and types, no values.
    abstract: tuple[tuple[Any, ...], dict[str, Any]] | None = None
    # What a backward pass of the snippet's brought to the first call's results, by place.
    gradients: dict[int, Any] = field(default_factory=dict)
    # The lines of that call and of the backward pass.
    called: int | None = None
    backward: int | None = None
    # Which of its sizes vary: a call with others is no recompile.
    sizes: Sizes = ()

    def watch(self, result: Any) -> None:
        """Notes a backward pass through a result of a torch program."""
        from torch.utils import _pytree as pytree

        for number, leaf in enumerate(pytree.tree_leaves(result)):
            if getattr(leaf, "requires_grad", False):
                leaf.register_hook(functools.partial(self._gradient, number))

    def _gradient(self, number: int, gradient: Any) -> None:
        if self.backward is None:
            self.backward = _line()
        self.gradients.setdefault(number, gradient)


class Interceptor:
    """A context manager. Afterwards `programs()` are the compiled functions that were called."""

    def __init__(self, source: Source, emit: Emit) -> None:
        self._source, self._emit = source, emit
        self._found: list[Compiled] = []
        self._undo: list[tuple[Any, str, Any]] = []
        # Greater than 0 while a compiled function runs: those that it calls are part of it.
        self._depth = 0
        self._on = False

    def __enter__(self) -> "Interceptor":
        self._on = True
        # A framework that the snippet does not name is not loaded for it: that takes seconds.
        if "torch" in self._source.text:
            torch = importlib.import_module("torch")
            self._replace(torch, "compile", self._torch_compile)
            self._replace(torch.nn.Module, "compile", self._module_compile)
        if "jax" in self._source.text:
            self._replace(importlib.import_module("jax"), "jit", self._jax_jit)
        return self

    def __exit__(self, *_: object) -> None:
        self._on = False
        for owner, name, real in reversed(self._undo):
            setattr(owner, name, real)
        self._undo.clear()

    def programs(self) -> list[FoundProgram]:
        """In the order of their first calls."""
        called = [c for c in self._found if c.first is not None] or self._abstract()
        names: dict[str, int] = {}
        return [self._program(c, names) for c in called]

    def _abstract(self) -> list[Compiled]:
        """Where JAX's transformations made the only calls, those on random values."""
        called = [c for c in self._found if c.abstract is not None]
        for compiled in called:
            compiled.first = specs.with_values(compiled.abstract)
            text = "is called inside a JAX transformation only: its inputs here are random"
            notice(self._emit, f"`{name_of(compiled.fn)}` {text}", compiled.line)
        return called

    def _program(self, compiled: Compiled, names: dict[str, int]) -> FoundProgram:
        assert compiled.first is not None
        name = name_of(compiled.fn)
        names[name] = names.get(name, 0) + 1
        args, kwargs = compiled.first
        return FoundProgram(
            name if names[name] == 1 else f"{name} ({names[name]})",
            compiled.framework,
            compiled.line,
            compiled.fn,
            args,
            kwargs,
            tuple(compiled.options.get("static_argnums", ())),
            tuple(compiled.options.get("static_argnames", ())),
            gradients=compiled.gradients,
            called=compiled.called,
            backward=compiled.backward,
            sizes=compiled.sizes,
            ran=True,
        )

    # -- replacing

    def _replace(self, owner: Any, name: str, make: Callable[[Any], Call]) -> None:
        real = getattr(owner, name)
        self._undo.append((owner, name, real))
        setattr(owner, name, make(real))

    def _torch_compile(self, real: Call) -> Call:
        @functools.wraps(real)
        def caught(model: Any = None, **options: Any) -> Any:
            if not _from_snippet():
                return real(model, **options)
            if model is None:
                return functools.partial(self._compile_torch, options=options)
            return self._compile_torch(model, options)

        return caught

    def _module_compile(self, real: Call) -> Call:
        @functools.wraps(real)
        def caught(module: Any, *args: Any, **options: Any) -> None:
            if not _from_snippet():
                return real(module, *args, **options)
            # As torch does: the module's own call runs what was compiled.
            compiled = Compiled(module, "torch", self._line_of(module), options)
            plain = module._call_impl
            module._compiled_call_impl = self._recording(compiled, plain)
            return None

        return caught

    def _compile_torch(self, model: Any, options: Mapping[str, Any]) -> Any:
        if options.get("disable"):
            return model
        torch = sys.modules["torch"]
        compiled = Compiled(model, "torch", self._line_of(model), dict(options))
        if isinstance(model, torch.nn.Module):
            from compiler_core.snippet.compiled_module import CompiledModule

            return CompiledModule(model, self._recording(compiled, model))
        return self._wrapped(compiled, model)

    def _jax_jit(self, real: Call) -> Call:
        @functools.wraps(real)
        def jit(fun: Any = None, **options: Any) -> Any:
            if not _from_snippet():
                return real(**options) if fun is None else real(fun, **options)
            if fun is None:
                return functools.partial(self._compile_jax, real, options)
            return self._compile_jax(real, options, fun)

        return jit

    def _compile_jax(self, real: Call, options: Mapping[str, Any], fun: Call) -> Any:
        statics = {k: _tuple(options.get(k)) for k in ("static_argnums", "static_argnames")}
        compiled = Compiled(fun, "jax", self._line_of(fun), statics)
        jitted = real(fun, **options)
        wrapper = self._wrapped(compiled, functools.partial(_run_jitted, jitted, fun))
        for name in ("lower", "trace", "eval_shape", "clear_cache"):
            setattr(wrapper, name, getattr(jitted, name))
        return wrapper

    # -- recording

    def _wrapped(self, compiled: Compiled, run: Call) -> Any:
        """A plain function, so that it binds as a method and keeps its name and signature."""
        record = self._recording(compiled, run)

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return record(*args, **kwargs)

        wrapped: Any = functools.update_wrapper(wrapper, compiled.fn)
        wrapped.fuselab_original = compiled.fn
        return wrapped

    def _recording(self, compiled: Compiled, run: Call) -> Call:
        self._found.append(compiled)

        def record(*args: Any, **kwargs: Any) -> Any:
            traced = specs.is_traced((args, kwargs))
            if traced and self._on and not self._depth:
                compiled.abstract = compiled.abstract or (args, kwargs)
            if self._depth or not self._on or traced:
                return compiled.fn(*args, **kwargs)
            is_first = compiled.first is None
            self._note(compiled, args, kwargs)
            self._depth += 1
            try:
                result = run(*args, **kwargs)
            finally:
                self._depth -= 1
            if is_first and compiled.framework == "torch":
                compiled.watch(result)
            return result

        return record

    def _note(self, compiled: Compiled, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        shown = ", ".join(specs.shown((args, kwargs)))
        if compiled.first is None:
            compiled.first, compiled.called = (args, kwargs), _line()
            compiled.sizes = () if kwargs else sizes_of(args, compiled.options)
            # The order of first calls is the order of programs.
            self._found.remove(compiled)
            self._found.append(compiled)
        elif shown not in compiled.seen and not compiled.sizes:
            change = f"{compiled.seen[-1]} -> {shown}"
            notice(self._emit, f"recompile of `{name_of(compiled.fn)}`: {change}", _line())
        if shown not in compiled.seen:
            compiled.seen.append(shown)

    def _line_of(self, fn: Any) -> int | None:
        """Where the function or the module's class is defined; else where it is compiled."""
        code = getattr(inspect.unwrap(getattr(fn, "__func__", fn)), "__code__", None)
        if code is not None and code.co_filename == FILE:
            return self._source.def_lines.get(code.co_firstlineno, code.co_firstlineno)
        defined = self._source.bindings.get(type(fn).__name__)
        return defined or _line()


def _line() -> int | None:
    """The snippet's line that is running."""
    at = place(2)
    return at[0] if at else None


def _from_snippet() -> bool:
    """Whether the caller of the caller is the snippet's own code."""
    return sys._getframe(2).f_code.co_filename == FILE


def _run_jitted(jitted: Call, fun: Call, *args: Any, **kwargs: Any) -> Any:
    """One compilation of the whole is faster than one of each operation; a function that cannot
    be traced runs as plain Python, and its capture says why."""
    from jax.errors import JAXTypeError

    try:
        return jitted(*args, **kwargs)
    except JAXTypeError:
        return fun(*args, **kwargs)


def _tuple(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, int | str) else tuple(value)
