"""Parameters (pytrees) that a function of the snippet creates: what `init_params(key, sizes)`
returns is what `loss(params, x)` takes, and gradients and moments have the same structure."""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any

from compiler_core.inputs import Arguments, InputSpec, Listed, Named, New, Value
from compiler_core.snippet.guess.context import Context
from compiler_core.snippet.guess.layers import Layer
from compiler_core.snippet.guess.usage import Usage, usages
from compiler_core.snippet.original import original
from compiler_core.snippet.source import FILE

_MAKER = re.compile(r"(init|initiali[sz]e|make|create|build|new)(_\w+)?|\w+_init")
_OF_PARAMETERS = re.compile("param|weight|network|net|model|mlp")
_PARAMETERS = re.compile(r"(.*_)?(params?|parameters|weights|variables|theta)\d?")
_LIKE_THEM = re.compile(r"(.*_)?(grads?|gradients|velocity|momentum|moments?|mu|nu|m|v|ema)\d?")
_OF_OPTIMIZERS = re.compile(r"(.*_)?opt(im(izer)?)?_?states?")
_BEGINS = re.compile(r"opt(im(izer)?)?_init(_fn)?|init_opt(im(izer)?)?(_state)?")
_METHODS = ("init", "update")
_KEY = InputSpec("u32", (2,))
_MOST = 2


def maker_calls(name: str, context: Context) -> Iterator[New]:
    """Calls of the snippet's own functions that may create the value called `name`, as is usual for
    models in JAX."""
    if context.framework != "jax" or context.constructor or context.inside:
        return
    if _OF_OPTIMIZERS.fullmatch(name):
        yield from _begun(context)
    yield from (_call(fn, context) for fn in _own_makers(context) if _makes(fn, name))
    if _PARAMETERS.fullmatch(name) or (_LIKE_THEM.fullmatch(name) and _has_parameters(context)):
        yield from (_call(fn, context) for fn in _makers(context)[:_MOST])


def _makes(fn: FunctionType, name: str) -> bool:
    """Whether it is one that makes what goes by that name alone: `init_cache` a cache."""
    return (
        re.fullmatch(f"(init|make|create|new|initial|empty)_{re.escape(name)}", fn.__name__)
        is not None
    )


def _begun(context: Context) -> Iterator[New]:
    """The state that the snippet's optimizer, one of optax's or its like, begins with: what
    `tx.init`, or its own `opt_init`, makes of the parameters."""
    known = vars(context.module).items()
    begin = [n for n, v in known if _BEGINS.fullmatch(n) and _is_own(original(v))]
    begin += [f"{n}.init" for n, v in known if _is_optimizer(v)]
    beside = [n for n in (*context.usages, *context.siblings) if _PARAMETERS.fullmatch(n)]
    for name in beside[:1] if begin else []:
        yield New(begin[-1], Arguments((_parameters(name, context),)))


def _parameters(name: str, context: Context) -> Value:
    """The snippet's own, or what it makes; else the argument of that name."""
    if name in vars(context.module):
        return Named(name)
    if (call := next(maker_calls(name, context), None)) is not None:
        return call
    if name in context.usages:
        return Named(name)
    from compiler_core.snippet.guess.tensors import tensors

    return next(tensors(name, Usage(), context)).value


def _is_optimizer(value: Any) -> bool:
    return isinstance(value, tuple) and all(callable(getattr(value, n, 0)) for n in _METHODS)


def maker_calls_of_parts(parts: Sequence[str], context: Context) -> Listed | None:
    """A tuple of such calls for a value that the code unpacks to `parts`: `m, v = state`. None if
    one of them has no call."""
    found = [next(maker_calls(part, context), None) for part in parts]
    return Listed(tuple(new for new in found if new), "(") if parts and all(found) else None


def _has_parameters(context: Context) -> bool:
    return any(map(_PARAMETERS.fullmatch, (*context.usages, *context.siblings)))


def _makers(context: Context) -> list[FunctionType]:
    """The last ones first, for they use the others; before them those that say what they make."""
    beside = [n for n in (*context.usages, *context.siblings) if not _PARAMETERS.fullmatch(n)]
    last_first = [
        f
        for f in reversed(_own_makers(context))
        if _MAKER.fullmatch(f.__name__) and not any(_makes(f, other) for other in beside)
    ]
    return sorted(last_first, key=lambda fn: not _OF_PARAMETERS.search(fn.__name__))


def _own_makers(context: Context) -> list[FunctionType]:
    every = {n: original(v) for n, v in vars(context.module).items()}
    return [f for n, f in every.items() if _is_own(f) and f.__name__ == n and not _of_them(f)]


def _of_them(fn: FunctionType) -> bool:
    """Whether it is given parameters, as `adam_init(params)`, and makes something else of them."""
    return any(map(_PARAMETERS.fullmatch, inspect.signature(fn).parameters))


def _is_own(value: Any) -> bool:
    return isinstance(value, FunctionType) and value.__code__.co_filename == FILE


def _call(fn: FunctionType, context: Context) -> New:
    from compiler_core.snippet.guess.objects import required
    from compiler_core.snippet.guess.options import options_of

    needed = required(inspect.signature(fn))
    code = _code(fn, context.tree)
    used = usages(code, [p.name for p in needed]) if code else {}
    inner = replace(context.bare(), constructor=True, usages=used, code=code)
    given: list[Value] = []
    for p in needed:
        known = _known(p.name, used.get(p.name, Usage()), context)
        given.append(known or options_of(p, inner)[0].value)
    return New(fn.__name__, Arguments(tuple(given)))


def _code(fn: FunctionType, tree: ast.Module) -> ast.FunctionDef | None:
    found = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == fn.__name__)
    return next(found, None)


def _known(name: str, usage: Usage, context: Context) -> Value | None:
    """A random key; the sizes that the snippet has in a variable of such a name."""
    if "key" in usage.kinds or context.bare().kind(name) == "key" or name == "key":
        return _KEY
    sizes = [n for n, v in vars(context.module).items() if n.endswith(name) and _are_sizes(v)]
    return Named(sizes[0]) if sizes else None


def _are_sizes(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(x, int) for x in value)


def layers_of(new: New, make: Any, names: Any) -> list[Layer]:
    """What the shapes of the parameters that `new` creates imply for other arguments; empty if they
    cannot be created."""
    import jax

    from compiler_core.snippet.values import value

    try:
        shapes = jax.eval_shape(lambda: value(new, make, names))
    except Exception:
        return []
    shaped = [x.shape for x in jax.tree.leaves(shapes) if len(getattr(x, "shape", ())) > 1]
    name = f"a parameter that {new.name} makes"
    found = [layer for shape in shaped for layer in _layers(shape, name)]
    return list(dict.fromkeys(found))


def _layers(shape: tuple[int, ...], name: str) -> Iterator[Layer]:
    if len(shape) == 4:
        yield Layer("channels_last", "C", shape[2], name)
    elif len(shape) == 2:
        yield from (Layer("features", "D", size, name) for size in shape)
