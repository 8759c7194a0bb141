"""Objects of the snippet's classes: modules, settings, named tuples of tensors."""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass, replace
from types import FunctionType
from typing import Any

from compiler_core.inputs import Arguments, InputSpec, Literal, Named, New, Value
from compiler_core.snippet.guess.context import Context, Option
from compiler_core.snippet.guess.hints import SIZES, number_of
from compiler_core.snippet.guess.makers import maker_calls
from compiler_core.snippet.guess.tensors import first_of, is_count, typed
from compiler_core.snippet.guess.usage import Usage
from compiler_core.snippet.guess.words import is_of

_CONFIGS = ("config", "cfg", "args", "hparams", "conf", "params", "opt", "hps", "c")
# Names of values that contain several tensors.
_SEVERAL = re.compile(
    r"(.*_)?(batch(es)?|data|sample|graph|g|traj(ectory)?|transitions?|rollouts?)"
)
_CLASSES = 3
_MAKER = re.compile(r"(get|make|build|create|init)_(\w+_)?(model|net|network)")
# The attributes of graphs besides features and edges, in torch_geometric's names.
_OF_GRAPHS = {
    "batch": InputSpec("i64", (SIZES["N"],)),
    "y": InputSpec("i64", (SIZES["N"],)),
    "edge_weight": InputSpec("f32", (SIZES["M"],)),
    "train_mask": InputSpec("bool", (SIZES["N"],)),
}
# Continuous actions, as an actor returns them, rather than indices of actions.
_CONTINUOUS = {"actions": InputSpec("f32", (SIZES["N"], SIZES["K"]))}
TENSOR_ATTRIBUTES = frozenset(("shape", "dtype", "device", "T", "ndim", "size", "mT"))


def of_classes(name: str, context: Context) -> Iterator[Option]:
    """Modules that functions of the snippet create, such as `get_model()`, then modules of the
    snippet's classes: first of those that the name suggests, then of those that no other class
    names."""
    makers = [n for n, v in vars(context.module).items() if _makes_modules(n, v)]
    yield from (Option(New(n, Arguments()), f"what {n} makes") for n in makers[:_CLASSES])
    within = {n.id for c in ast.walk(context.tree) if isinstance(c, ast.ClassDef)
              for n in ast.walk(c) if isinstance(n, ast.Name)}  # fmt: skip

    def likely(cls: type) -> tuple[bool, bool]:
        return not is_of(name, cls.__name__), cls.__name__ in within

    classes = sorted((c for c in vars(context.module).values() if _is_module(c)), key=likely)
    for cls in classes[:_CLASSES]:
        yield from (Option(value, "the class of modules") for value in constructed(cls, context))


def with_methods(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """Modules of those of the snippet's classes that define a method that the code calls on the
    parameter, as in `actor.get_action(obs)`."""
    asked = [f for f in usage.fields if not _is_tensors(f, context)]
    for option in of_classes(name, context) if asked else ():
        cls = getattr(context.module, getattr(option.value, "name", ""), None)
        if _has_any(cls, asked):
            yield option


def asks_for_methods(usage: Usage, context: Context) -> bool:
    """Whether the code calls on a parameter a method that one of the snippet's classes of modules
    defines."""
    asked = [f for f in usage.fields if not _is_tensors(f, context)]
    classes = [c for c in vars(context.module).values() if _is_module(c)]
    return any(_has_any(cls, asked) for cls in classes)


def _makes_modules(name: str, value: Any) -> bool:
    """Whether it is a function of the snippet's that needs nothing, and says that it makes one."""
    if not isinstance(value, FunctionType) or value.__module__ != "__main__":
        return False
    returns = value.__annotations__.get("return")
    says = _MAKER.fullmatch(name) or getattr(returns, "__name__", returns) in (
        "Module",
        "nn.Module",
    )
    return bool(says) and not required(inspect.signature(value))


def _has_any(cls: Any, methods: Sequence[str]) -> bool:
    return any(callable(vars(cls).get(m)) for m in methods)


def with_fields(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """An object of the snippet's class that has the attributes that the code reads of a parameter;
    else, if the parameter's name suggests several tensors, a namespace with just these."""
    read = [f for f in usage.fields if not _is_tensors(f, context)]
    if not read:
        return
    classes = [c for c in vars(context.module).values() if set(usage.fields) <= set(_fields(c))]
    for cls in dict.fromkeys(classes):
        yield from (
            Option(v, f"the class {cls.__name__}") for v in constructed(cls, context.within(name))
        )
    if not classes and _SEVERAL.fullmatch(name.lower()):
        inner = replace(context.within(name), siblings=tuple(read))
        known = _OF_GRAPHS if "edge_index" in read else {}
        for each in (known, _CONTINUOUS | known) if "actions" in read else (known,):
            keywords = tuple((f, each.get(f) or first_of(f, inner)) for f in read)
            namespace = New("SimpleNamespace", Arguments((), keywords))
            yield Option(namespace, "the attributes that it has")


def _is_tensors(attribute: str, context: Context) -> bool:
    """Whether tensors have it, so that it says nothing of any other class."""
    if context.framework == "jax":
        import jax

        return hasattr(jax.Array, attribute)
    import torch

    return hasattr(torch.Tensor, attribute)


def _fields(cls: Any) -> tuple[str, ...]:
    if not inspect.isclass(cls) or cls.__module__ != "__main__":
        return ()
    named = tuple(f.name for f in fields(cls)) if is_dataclass(cls) else ()
    return named or getattr(cls, "_fields", ())


def _is_module(value: Any) -> bool:
    own = inspect.isclass(value) and value.__module__ == "__main__"
    return own and callable(getattr(value, "forward", None))


def configured(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """An object of the snippet's class of settings; a namespace with the attributes that the code
    reads if it has no such class."""
    if name.lower() not in _CONFIGS and "config" not in name.lower():
        return
    classes = [c for c in vars(context.module).values() if _is_settings(c)]
    for cls in classes:
        yield from (Option(v, "the class of settings") for v in constructed(cls, context))
    for variable, value in vars(context.module).items():
        if type(value) in classes:
            yield Option(Named(variable), "the variable with settings")
    read = _attributes(context.tree, name)
    if read and not classes:
        known = ((a, number_of(a)) for a in read)
        keywords = tuple((a, Literal(64 if n is None else n)) for a, n in known)
        yield Option(New("SimpleNamespace", Arguments((), keywords)), "the attributes that it has")


def _is_settings(value: Any) -> bool:
    names = ("config", "args", "params", "settings", "cfg")
    own = inspect.isclass(value) and value.__module__ == "__main__"
    return own and any(n in value.__name__.lower() for n in names)


def _attributes(tree: ast.Module, name: str) -> list[str]:
    """The attributes that any code of the snippet reads of something called `name`."""
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Attribute))
    own = (n.attr for n in found if isinstance(n.value, ast.Name) and n.value.id == name)
    return [a for a in dict.fromkeys(own) if a not in TENSOR_ATTRIBUTES]


def constructed(cls: type, context: Context) -> Iterator[Value]:
    """An object of one of the snippet's classes, with guesses for the parameters that have no
    default."""
    if context.module.__dict__.get(cls.__name__) is not cls:
        return
    required = _required(cls)
    if required is None:
        return
    from compiler_core.snippet.guess.options import options_of

    names = _fields(cls)
    inner = replace(context.bare(), constructor=not names, siblings=names)
    beside = replace(context, inside=(), siblings=names)

    def known(p: inspect.Parameter) -> Value:
        call = next(maker_calls(p.name, beside), None) if names else None
        first = call or options_of(p, inner)[0].value
        counted = isinstance(first, InputSpec) and is_count(p.name, names)
        return typed(context, InputSpec("i64", ())) if counted else first

    yield New(cls.__name__, Arguments((), tuple((p.name, known(p)) for p in required)))


def _required(cls: type) -> list[inspect.Parameter] | None:
    try:
        return required(inspect.signature(cls))
    except (TypeError, ValueError):
        return [] if is_dataclass(cls) and not fields(cls) else None


def required(signature: inspect.Signature) -> list[inspect.Parameter]:
    """The parameters that a call must give."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    own = signature.parameters.values()
    return [p for p in own if p.default is p.empty and p.kind not in variable]
