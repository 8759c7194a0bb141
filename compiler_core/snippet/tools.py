"""Tools of the frameworks that take a function and the arguments of a call, such as export and
make_jaxpr: such a function is a program, like one passed to torch.compile or jax.jit."""

import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from compiler_core.report import Framework
from compiler_core.snippet.original import original
from compiler_core.snippet.seen import Seen
from compiler_core.snippet.source import FILE, Source

# tool(fn)(x, y); tool(fn, x, y); tool(fn, (x, y), {}).
Form = Literal["curried", "direct", "packed"]
Call = Callable[..., Any]


@dataclass(frozen=True)
class Tool:
    """One tool: where it is found, and the form in which it takes the arguments."""

    module: str
    name: str
    framework: Framework
    form: Form


TOOLS = (
    Tool("torch._dynamo", "explain", "torch", "curried"),
    Tool("torch._dynamo", "export", "torch", "curried"),
    Tool("torch.export", "export", "torch", "packed"),
    Tool("torch.export", "draft_export", "torch", "packed"),
    Tool("torch.jit", "trace", "torch", "packed"),
    Tool("torch.jit", "script", "torch", "curried"),
    Tool("torch.onnx", "export", "torch", "packed"),
    Tool("torch.fx.experimental.proxy_tensor", "make_fx", "torch", "curried"),
    Tool("jax", "make_jaxpr", "jax", "curried"),
    Tool("jax", "eval_shape", "jax", "direct"),
)


def replacements(source: Source, seen: Seen) -> Iterator[tuple[Any, str, Callable[[Call], Call]]]:
    """(owner, name, wrapper) for each tool that the snippet names; the wrapper makes a replacement
    of the tool that records its arguments."""
    for tool in TOOLS:
        if tool.name in source.text and tool.module.partition(".")[0] in source.text:
            module = importlib.import_module(tool.module)
            yield module, tool.name, functools.partial(_noting, tool, seen)


def _noting(tool: Tool, seen: Seen, real: Call) -> Call:
    @functools.wraps(real)
    def noting(fn: Any = None, *args: Any, **kwargs: Any) -> Any:
        if fn is None or sys._getframe(1).f_code.co_filename != FILE:
            return real(*(() if fn is None else (fn,)), *args, **kwargs)
        plain = original(fn)
        if tool.form == "curried" and not args:
            with seen.paused():
                returned = real(plain, **kwargs)
            return _Curried(returned, tool, seen, plain)
        _note(tool, seen, plain, args, kwargs)
        with seen.paused():
            return real(plain, *args, **kwargs)

    return noting


def _note(tool: Tool, seen: Seen, fn: Any, args: Any, kwargs: dict[str, Any]) -> None:
    if tool.form != "packed":
        seen.by_tool(fn, tool.framework, args, {})
        return
    given = args[0] if args else kwargs.get("args", kwargs.get("example_inputs", ()))
    named = args[1] if len(args) > 1 else kwargs.get("kwargs")
    given = given if isinstance(given, tuple | list) else (given,)
    named = named if isinstance(named, dict) else {}
    seen.by_tool(fn, tool.framework, given, named, kwargs.get("dynamic_shapes"))


def is_scripted(value: Any) -> bool:
    """Whether torch.jit.script made the value: it may be a helper of what is to be compiled, rather
    than that itself."""
    return isinstance(value, _Curried) and value.tool.name == "script"


class _Curried:
    """What a curried tool returned, whose call has the arguments."""

    def __init__(self, returned: Any, tool: Tool, seen: Seen, fn: Any) -> None:
        self._returned, self.tool, self._seen, self._fn = returned, tool, seen, fn
        self.fuselab_original = fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._seen.by_tool(self._fn, self.tool.framework, args, kwargs)
        with self._seen.paused():
            return self._returned(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._returned, name)
