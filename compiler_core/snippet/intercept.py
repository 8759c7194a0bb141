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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from compiler_core.snippet import divided, eager_jax, specs
from compiler_core.snippet.circumstances import Journal
from compiler_core.snippet.compiled import (
    Call,
    Compiled,
    defined_at,
    from_snippet,
    programs_of,
    running_line,
)
from compiler_core.snippet.mapped import mapped
from compiler_core.snippet.naming import name_of
from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.seen import Seen
from compiler_core.snippet.source import Source
from compiler_core.snippet.tools import replacements
from compiler_core.snippet.virtual_devices import count


class Interceptor:
    """A context manager. Afterwards `programs()` are the compiled functions that were called."""

    def __init__(self, source: Source, module: ModuleType, emit: Emit) -> None:
        self._source, self._emit = source, emit
        self._journal = Journal()
        self.calls = Seen(source, module, self._journal)
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
            self._replace(torch.nn.Module, "train", self._journal.writing)
        if "jax" in self._source.text:
            jax = importlib.import_module("jax")
            self._replace(jax, "jit", self._jax_jit)
            for owner, name, make in divided.replacements(
                self._source, self._compile_pmap, self._compile_shard_map
            ):
                self._replace(owner, name, make)
        for owner, name, make in replacements(self._source, self.calls):
            self._replace(owner, name, make)
        self.calls.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._on = False
        self.calls.__exit__()
        for owner, name, real in reversed(self._undo):
            setattr(owner, name, real)
        self._undo.clear()

    def programs(self) -> list[FoundProgram]:
        """The compiled functions that were called, in the order of their first calls."""
        called = [c for c in self._found if c.first is not None] or self._abstract()
        return programs_of(called, self._journal)

    def seen(self, device: str) -> list[FoundProgram]:
        """The functions and modules that the snippet calls and does not compile; if it compiles
        functions that it calls only inside of transformations, these."""
        compiled = [c.fn for c in self._found]
        called = [c for c in self.calls.calls if not compiled or c.fn in compiled]
        for loop in self.calls.loops:
            for text in loop.sentences([c.fn for c in called]):
                notice(self._emit, text, loop.method.line)
        for call in called:
            if call.first is None:
                self._inside(call)
                call.with_values(device)
        return programs_of([c for c in called if c.first is not None], self._journal)

    def _abstract(self) -> list[Compiled]:
        """Where JAX's transformations made the only calls, those on random values."""
        called = [c for c in self._found if c.abstract is not None]
        for compiled in called:
            compiled.with_values("cpu")
            self._inside(compiled)
        return called

    def _inside(self, call: Compiled) -> None:
        text = "is called inside of a transformation, with shapes: its inputs here are random"
        notice(self._emit, f"`{name_of(call.fn)}` {text}", call.line)

    # -- replacing

    def _replace(self, owner: Any, name: str, make: Callable[[Any], Call]) -> None:
        real = getattr(owner, name)
        self._undo.append((owner, name, real))
        setattr(owner, name, make(real))

    def _torch_compile(self, real: Call) -> Call:
        @functools.wraps(real)
        def caught(model: Any = None, **options: Any) -> Any:
            if not from_snippet():
                return real(model, **options)
            if model is None:
                return functools.partial(self._compile_torch, options=options)
            return self._compile_torch(model, options)

        return caught

    def _module_compile(self, real: Call) -> Call:
        @functools.wraps(real)
        def caught(module: Any, *args: Any, **options: Any) -> None:
            if not from_snippet():
                return real(module, *args, **options)
            self._compile_object(module, options)
            return None

        return caught

    def _compile_object(self, module: Any, options: Mapping[str, Any]) -> None:
        """As torch does: the module's own call runs what was compiled."""
        compiled = Compiled(module, "torch", defined_at(module, self._source), dict(options))
        self._undo.append((module, "_compiled_call_impl", None))
        module._compiled_call_impl = self._recording(compiled, module._call_impl, module._call_impl)

    def _compile_torch(self, model: Any, options: Mapping[str, Any]) -> Any:
        if options.get("disable"):
            return model
        torch = sys.modules["torch"]
        if inspect.isclass(model) and issubclass(model, torch.nn.Module):
            return self._compile_class(model, options)
        compiled = Compiled(model, "torch", defined_at(model, self._source), dict(options))
        if isinstance(model, torch.nn.Module):
            from compiler_core.snippet.compiled_module import CompiledModule

            return CompiledModule(model, self._recording(compiled, model))
        return self._wrapped(compiled, model)

    def _compile_class(self, cls: Any, options: Mapping[str, Any]) -> Any:
        """Of a decorated class each object is compiled."""
        compile_object = self._compile_object

        @functools.wraps(cls, updated=())
        class Decorated(cls):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                compile_object(self, options)

        return Decorated

    def _jax_jit(self, real: Call) -> Call:
        @functools.wraps(real)
        def jit(fun: Any = None, **options: Any) -> Any:
            if not from_snippet():
                return real(**options) if fun is None else real(fun, **options)
            if fun is None:
                return functools.partial(self._compile_jax, real, options)
            return self._compile_jax(real, options, fun)

        return jit

    def _compile_jax(self, real: Call, options: Mapping[str, Any], fun: Call) -> Any:
        statics = {k: _tuple(options.get(k)) for k in ("static_argnums", "static_argnames")}
        donated = [d for k in ("donate_argnums", "donate_argnames") for d in _tuple(options.get(k))]
        known = {**statics, "donated": donated}
        compiled = Compiled(fun, "jax", defined_at(fun, self._source), known)
        compiled.own = real(fun, **options)
        jitted = real(fun, **_kept(options))
        run = functools.partial(eager_jax.run_jitted, jitted, fun)
        wrapper = self._wrapped(compiled, run, jitted)
        for name in ("lower", "trace", "eval_shape"):
            setattr(wrapper, name, self._staged(compiled, getattr(jitted, name)))
        wrapper.clear_cache = jitted.clear_cache
        return wrapper

    def _staged(self, compiled: Compiled, real: Call) -> Call:
        """A method of a jitted function that looks at a call and runs none."""

        def staged(*args: Any, **kwargs: Any) -> Any:
            if self._on:
                compiled.abstract = compiled.abstract or (args, kwargs)
            with self._within(), self.calls.paused():
                return real(*args, **kwargs)

        return staged

    def _compile_pmap(
        self, real: Call, axis_name: Any, options: Mapping[str, Any], fun: Call
    ) -> Any:
        """A map over devices is one over an axis: what is compiled for one device is that, and on
        one device it is what runs."""
        axes = {k: v for k, v in options.items() if k in ("in_axes", "out_axes")}
        static = _tuple(options.get("static_broadcasted_argnums"))
        program = mapped(fun, static, {"axis_name": axis_name, **axes})
        known = {"static_argnums": static}
        compiled = Compiled(program, "jax", defined_at(fun, self._source), known)
        # Without a name of the snippet's own, JAX's inner one would be what is drawn.
        compiled.own = real(fun, "pmap" if axis_name is None else axis_name, **options)
        if count() > 1:
            return self._wrapped(compiled, real(fun, axis_name, **_kept(options)))
        text = f"`{name_of(fun)}` is mapped over one device: vmap does the same"
        notice(self._emit, text, compiled.line)
        return self._wrapped(compiled, program)

    def _compile_shard_map(self, real: Call, options: Mapping[str, Any], *args: Any) -> Any:
        """A map over devices that is called without jax.jit is compiled in that call, as a pmap
        is."""
        program = real(*args, **options)
        compiled = Compiled(program, "jax", defined_at(program, self._source), {})
        compiled.own = sys.modules["jax"].jit(program)
        return self._wrapped(
            compiled, functools.partial(eager_jax.run_jitted, compiled.own, program)
        )

    # -- recording

    def _wrapped(self, compiled: Compiled, run: Call, of_tracers: Call | None = None) -> Any:
        """A plain function, so that it binds as a method and keeps its name and signature."""
        record = self._recording(compiled, run, of_tracers=of_tracers)

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return record(*args, **kwargs)

        wrapped: Any = functools.update_wrapper(wrapper, compiled.fn)
        wrapped.fuselab_original = compiled.fn
        wrapped.fuselab_options = compiled.options
        return wrapped

    def _recording(
        self, compiled: Compiled, run: Call, plain: Call | None = None, of_tracers: Any = None
    ) -> Call:
        """`run` is recorded; within another compiled function, `plain` is called instead, or
        `of_tracers` while that is traced: what JAX refuses is refused there too."""
        self._found.append(compiled)

        def record(*args: Any, **kwargs: Any) -> Any:
            traced = specs.is_traced((args, kwargs))
            if traced and self._on and not self._depth:
                compiled.abstract = compiled.abstract or (args, kwargs)
            if self._depth or not self._on or traced:
                return ((traced and of_tracers) or plain or compiled.fn)(*args, **kwargs)
            is_first = compiled.first is None
            self._note(compiled, args, kwargs)
            with self._within(), self.calls.paused():
                result = run(*args, **kwargs)
            if is_first and compiled.framework == "torch":
                compiled.watch(result)
            return result

        return record

    @contextmanager
    def _within(self) -> Iterator[None]:
        """Context in which a compiled function runs, or is looked at."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    def _note(self, compiled: Compiled, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        is_first, change = compiled.first is None, compiled.meet(args, kwargs)
        if compiled.framework == "torch":
            compiled.different.meet(args, kwargs, running_line(), self._journal)
        if is_first:
            compiled.called = running_line()
            compiled.under_way(self._journal)
            # The order of first calls is the order of programs.
            self._found.remove(compiled)
            self._found.append(compiled)
        elif change:
            notice(self._emit, f"recompile of `{name_of(compiled.fn)}`: {change}", running_line())


def _kept(options: Mapping[str, Any]) -> dict[str, Any]:
    """What is donated is gone after the call, and this one is to be called again."""
    return {k: v for k, v in options.items() if not k.startswith("donate_")}


def _tuple(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, int | str) else tuple(value)
