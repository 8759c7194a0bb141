"""Functions, modules and classes of a snippet that it does not call: candidates for a program. For
a class whose objects are not callable, its methods are candidates."""

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from types import CodeType, FunctionType, ModuleType
from typing import Any

from compiler_core.report import Candidate
from compiler_core.snippet.framework import names_in
from compiler_core.snippet.original import original
from compiler_core.snippet.signature import argument_names, static_names, takes
from compiler_core.snippet.source import FILE, Source
from compiler_core.snippet.tools import is_scripted

# The methods by which modules compute: torch's, and those of modules in the style of Flax.
ENTRIES = ("forward", "__call__", "apply")
_NO_PROGRAM = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


@dataclass(frozen=True)
class Plain:
    """A function, a module, a callable object, or a class of such objects; `method` names the
    method of the class's objects that is called, if these are not callable. `compiled`: whether the
    snippet passes it to torch.compile or jax.jit, with these `options`."""

    name: str
    line: int
    fn: Callable[..., Any]
    compiled: bool = False
    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @property
    def is_class(self) -> bool:
        return inspect.isclass(self.fn)

    @property
    def called(self) -> Callable[..., Any]:
        """The function that takes the inputs; for a class, one that takes the object first."""
        fn: Any = self.fn
        return fn if inspect.isroutine(fn) else getattr(fn, self.method or entry(fn))

    @property
    def is_method(self) -> bool:
        """Whether it is a method of one of the snippet's classes."""
        return "." in self.name

    def takes(self, count: int, named: Sequence[str] = ()) -> bool:
        """Whether it can be called with `count` positional arguments and the keyword arguments
        `named`."""
        return takes(self.called, count + 1 if self.is_class else count, named)

    @property
    def parameters(self) -> list[str]:
        names = argument_names(self.called)
        return names[1:] if self.is_class else names

    @property
    def static(self) -> frozenset[str]:
        """The parameters that the snippet tells jax.jit not to trace."""
        return static_names(self.parameters, self.options)

    def candidate(self, inputs: str = "") -> Candidate:
        """Its entry in the report, with a guess at its inputs."""
        return Candidate(self.name, self.line, self.parameters, inputs)


def entry(value: Any) -> str:
    """The name of the method by which an object, or an object of a class, is called as a
    program."""
    classes = (value if inspect.isclass(value) else type(value)).__mro__
    return next((n for n in ENTRIES if any(n in vars(c) for c in classes)), "__call__")


def plain_programs(source: Source, module: ModuleType) -> list[Plain]:
    """The candidates in the order of their lines, without names that begin with an underscore."""
    found: dict[int, Plain] = {}
    for name, value in module.__dict__.items():
        line = source.bindings.get(name)
        if line is None or name.startswith("_") or not _is_program(value):
            continue
        passed = original(value) is not value and not is_scripted(value)
        options = getattr(value, "fuselab_options", {})
        plain = Plain(name, line, original(value), passed, options=options)
        before = found.get(id(plain.fn))
        # A function and what is compiled of it are one program.
        if before is None or plain.compiled:
            found[id(plain.fn)] = plain
    return sorted([*found.values(), *_methods(source, module)], key=lambda plain: plain.line)


def _methods(source: Source, module: ModuleType) -> Iterator[Plain]:
    """Those with parameters, of classes whose objects are no programs themselves; of an object that
    the snippet makes, in place of those of its class."""
    values = [(n, v) for n, v in vars(module).items() if n in source.bindings and n[0] != "_"]
    objects = {type(v): (n, v) for n, v in values if _is_of_methods(type(v))}
    for name, cls in values:
        if _is_of_methods(cls):
            owner, value = objects.get(cls, (name, cls))
            for method, code in _computing(cls):
                bound = value is not cls or isinstance(vars(cls)[method], staticmethod)
                fn, of_class = (getattr(value, method), "") if bound else (cls, method)
                yield Plain(f"{owner}.{method}", code.co_firstlineno, fn, method=of_class)


def _is_of_methods(value: Any) -> bool:
    """Whether it is a class that the snippet writes whole, or a module or an optimizer of torch's
    kind, whose objects cannot be called."""
    if not inspect.isclass(value) or value.__module__ != "__main__" or _gives_programs(value):
        return False
    whole = all(cls is object or cls.__module__ == "__main__" for cls in value.__mro__)
    return whole or _is_of_torch(value, "nn.Module") or is_optimizer(value)


def is_optimizer(cls: Any) -> bool:
    """Whether objects of a class are optimizers of torch's kind."""
    return _is_of_torch(cls, "optim.Optimizer")


def _is_of_torch(cls: Any, kind: str) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and inspect.isclass(cls) and issubclass(cls, attrgetter(kind)(torch))


def _computing(cls: type) -> Iterator[tuple[str, CodeType]]:
    """The methods that are given something, by their names, with their code; of an optimizer its
    step, which need not be."""
    for name, value in vars(cls).items():
        is_static = isinstance(value, staticmethod)
        code = getattr(inspect.unwrap(value.__func__ if is_static else value), "__code__", None)
        if name[0] != "_" and isinstance(value, FunctionType | staticmethod) and code is not None:
            takes_any = code.co_argcount + code.co_kwonlyargcount > (0 if is_static else 1)
            fits = name == "step" if is_optimizer(cls) else takes_any
            if fits and code.co_filename == FILE and not code.co_flags & _NO_PROGRAM:
                yield name, code


def roots(plains: list[Plain]) -> list[Plain]:
    """The candidates that no other one names; only the compiled ones, if there are any."""
    compiled = [p for p in plains if p.compiled]
    named = {id(p): _named(p) for p in plains}
    own = [p for p in plains if not any(_own_name(p) in named[id(o)] for o in plains if o is not p)]
    instantiated = {type(p.fn) for p in plains}
    return compiled or [p for p in own if p.fn not in instantiated] or plains


def _own_name(plain: Plain) -> str:
    """By which name other code calls it."""
    return plain.name.rpartition(".")[2]


def _named(plain: Plain) -> set[str]:
    """The names in the code of a function or a method, or of all methods of a class."""
    fn = inspect.unwrap(plain.called if plain.is_method else plain.fn)
    fn = getattr(fn, "__func__", fn)
    if isinstance(fn, FunctionType):
        return set(names_in(fn.__code__))
    own = vars(fn if inspect.isclass(fn) else type(fn)).values()
    return {n for f in own if isinstance(f, FunctionType) for n in names_in(f.__code__)}


def _is_program(value: Any) -> bool:
    value = original(value)
    if isinstance(value, FunctionType):
        written = inspect.unwrap(value)
        own = isinstance(written, FunctionType) and written.__code__.co_filename == FILE
        return own and not written.__code__.co_flags & _NO_PROGRAM
    if inspect.isclass(value):
        return value.__module__ == "__main__" and _gives_programs(value)
    return _is_module(value) or _is_own_callable(value)


def _gives_programs(cls: Any) -> bool:
    """Whether objects of a class are programs: torch's modules with a forward, others by a method
    of their own."""
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(cls, torch.nn.Module):
        return cls.forward is not torch.nn.Module.forward
    return any(isinstance(vars(cls).get(name), FunctionType) for name in ENTRIES)


def _is_own_callable(value: Any) -> bool:
    cls = type(value)
    return cls.__module__ == "__main__" and isinstance(vars(cls).get("__call__"), FunctionType)


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)
