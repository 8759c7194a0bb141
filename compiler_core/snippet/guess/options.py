"""The possible values of a parameter, likeliest first, each with the reason for it."""

import inspect
from collections.abc import Iterator
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, ForwardRef

from compiler_core.inputs import InputSpec, Listed, Literal, Named, Value
from compiler_core.report import Framework
from compiler_core.snippet.guess.alike import alike
from compiler_core.snippet.guess.annotations import Annotation, annotation_of
from compiler_core.snippet.guess.constructors import (
    image_model,
    is_gone_over,
    is_tensor,
    language_model,
    layer,
    linear,
    modules,
    numbers,
    sizes,
    unpacked,
)
from compiler_core.snippet.guess.context import Context, Option
from compiler_core.snippet.guess.hints import is_loss, number_of
from compiler_core.snippet.guess.makers import maker_calls, maker_calls_of_parts
from compiler_core.snippet.guess.objects import (
    TENSOR_ATTRIBUTES,
    configured,
    constructed,
    of_classes,
    with_fields,
    with_methods,
)
from compiler_core.snippet.guess.tensors import tensors, typed
from compiler_core.snippet.guess.texts import gives_logits
from compiler_core.snippet.guess.training import OF_MODULES, beside_tensors, is_trained, loaded
from compiler_core.snippet.guess.usage import Usage

_MOST = 20
# By framework, and by "loss" for a loss, else by the number of arguments.
_FUNCTIONS: dict[tuple[Framework, object], tuple[str, tuple[str, ...]]] = {
    ("torch", "loss"): ("torch.nn.functional", ("mse_loss", "cross_entropy", "l1_loss")),
    ("torch", 1): ("torch.nn.functional", ("gelu", "silu")),
    ("torch", 2): ("torch", ("mul", "matmul")),
    ("torch", 3): ("torch", ("addcmul", "clamp")),
    ("jax", "loss"): ("jax.numpy", ("subtract",)),
    ("jax", 1): ("jax.numpy", ("tanh", "sum")),
    ("jax", 2): ("jax.numpy", ("multiply", "matmul")),
    ("jax", 3): ("jax.numpy", ("clip",)),
}
_FEWEST_ARGUMENTS, _MOST_ARGUMENTS = 1, 3
# Sizes of unknown dimensions, and of features: large enough for meaningful times.
_SIZES = {True: (64, 256), False: (256, 64)}
_LIST = 3
# The reason for the likeliest value of all.
VARIABLE = "the variable of that name"


def options_of(parameter: inspect.Parameter, context: Context) -> list[Option]:
    """The possible values: at least one, and at most 20."""
    found = dict[str, Option]()
    for option in _all(parameter, context):
        found.setdefault(str(option.value), option)
    return list(found.values())[:_MOST]


def last_size(parameter: inspect.Parameter, context: Context) -> int | None:
    """The last size of the tensor in a parameter's annotation; None if that gives no sizes."""
    spec = annotation_of(_resolved(parameter.annotation, context.module)).spec
    return spec.shape[-1] if spec is not None and spec.shape else None


def _all(parameter: inspect.Parameter, context: Context) -> Iterator[Option]:
    name = parameter.name
    annotation = annotation_of(_resolved(parameter.annotation, context.module))
    if _is_value(context.module.__dict__.get(name)):
        yield Option(Named(name), VARIABLE)
    yield from (Option(new, f"what {new.name} makes") for new in maker_calls(name, context))
    if context.framework == "jax" and (other := alike(name, context.code, context.usages)):
        for option in tensors(other, context.usages[other], context):
            yield Option(option.value, f"the form of {other}")
    if annotation.kind:
        yield from (Option(v, "annotation") for v in _annotated(name, annotation, context))
        if annotation.kind != "class":
            return
    usage = context.usages.get(name, Usage())
    if (several := maker_calls_of_parts(usage.parts, context)) is not None:
        yield Option(several, "the code")
    if context.constructor:
        yield from _of_constructor(name, usage, context)
    else:
        yield from beside_tensors(name, usage, context)
        if usage.called is not None and not OF_MODULES.intersection(usage.fields):
            yield from _called(name, usage.called, context)
        yield from _modules(name, usage, context)
        yield from loaded(name, context)
        yield from with_fields(name, usage, context)
    yield from configured(name, usage, context)
    if context.constructor or usage.number:
        yield from _numbers(name, context)
    else:
        yield from _tensors_or_numbers(name, usage, context)


def _resolved(annotation: Any, module: ModuleType) -> Any:
    """`from __future__ import annotations` leaves texts, of which NamedTuple makes references."""
    if isinstance(annotation, ForwardRef):
        annotation = annotation.__forward_arg__
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, module.__dict__)
    except Exception:
        return annotation


def _is_value(value: Any) -> bool:
    """Whether a variable of the snippet is what a function could be given."""
    return value is not None and not isinstance(value, FunctionType | ModuleType | type)


def _annotated(name: str, annotation: Annotation, context: Context) -> Iterator[Value]:
    if annotation.spec is not None:
        yield typed(context, annotation.spec)
    elif annotation.kind == "tensor":
        for option in tensors(name, context.usages.get(name, Usage()), context):
            if not annotation.dtype:
                yield option.value
            elif isinstance(option.value, InputSpec):
                yield InputSpec(annotation.dtype, option.value.shape)
    elif annotation.kind in ("int", "float", "bool", "str"):
        axis = not context.constructor and not context.usages.get(name, Usage()).number
        yield from (Literal(v) for v in _of_type(name, annotation.kind, context, axis))
    elif annotation.kind == "list":
        parts = annotation.parts or (annotation.element or Annotation("tensor"),) * _LIST
        each = (_annotated(name, part, context) for part in parts)
        yield from map(Listed, zip(*each, strict=False))
    elif annotation.cls is not None:
        yield from _members(annotation.cls, context)
        yield from _of_framework(annotation.cls, context)
        yield from constructed(annotation.cls, context.within(name))


def _of_type(name: str, kind: str, context: Context, axis: bool) -> Iterator[Any]:
    """`axis`: it may be one, as `dim` of a function that does not count with it."""
    known = number_of(name, context.usages)
    if kind == "str":
        yield from ("mean", "sum", "none", "relu", "same")
    elif kind == "bool":
        yield from (known if isinstance(known, bool) else False, True)
    elif kind == "float":
        yield from (float(known) if known is not None else 0.5, 1.0, 0.1)
    else:
        if known is not None and (known == 0 or known >= 1 or axis):
            yield int(known)
        yield from (*_SIZES[known is None], 8, 2, 1, 16)


def _numbers(name: str, context: Context) -> Iterator[Option]:
    known = number_of(name, context.usages)
    if known is not None:
        yield Option(Literal(known), "name")
    yield from (Option(Literal(v), "trial") for v in (256, 2, 64, 16, 1, 0.5, True))


def _of_constructor(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """What its code says beyond that it is a number, or its name that it is a key."""
    if context.framework == "jax" and context.kind(name) == "key":
        yield Option(InputSpec("u32", (2,)), "name")
    nn = _name_of_module("torch.nn", context)
    found = modules(name, usage.fields, usage.called is not None, nn) if nn else ()
    yield from (Option(value, "the code") for value in found)
    if context.code is None:
        return
    if is_tensor(context.code, name, usage):
        yield from _detached(tensors(name, usage, context), usage)
    elif usage.parts:
        yield Option(unpacked(name, usage.parts), "the code")
    if (several := numbers(context.code, name)) is not None:
        yield Option(several, "the code")
    if is_gone_over(context.code, name):
        yield Option(sizes(context.code, name), "the code")


def _detached(options: Iterator[Option], usage: Usage) -> Iterator[Option]:
    """Whole numbers have no gradient that one would do without."""
    for option in options:
        whole = isinstance(option.value, InputSpec) and option.value.dtype[0] in "iu"
        if not ("detach" in usage.fields and whole):
            yield option


def _called(name: str, count: int, context: Context) -> Iterator[Option]:
    """What is called with so many arguments: a module of the snippet's, or a function of the
    framework's that goes by such a name."""
    if not is_loss(name):
        yield from of_classes(name, context)
        yield from _of_language(name, context)
        yield from _trained(context)
    given = max(_FEWEST_ARGUMENTS, min(count, _MOST_ARGUMENTS))
    path, functions = _FUNCTIONS[context.framework, "loss" if is_loss(name) else given]
    at = _name_of_module(path, context)
    if at:
        yield from (Option(Named(f"{at}.{f}"), "what is called") for f in functions)
    if is_loss(name):
        yield from of_classes(name, context)


def _of_language(name: str, context: Context) -> Iterator[Option]:
    """A small model of logits, where those of the last token are taken of what is returned."""
    nn = _name_of_module("torch.nn", context)
    if nn and context.code is not None and gives_logits(context.code, name):
        yield Option(language_model(nn), "the code")


def _trained(context: Context) -> Iterator[Option]:
    """A layer, where the code goes backward through what is called: a function learns nothing."""
    nn = _name_of_module("torch.nn", context)
    if nn and context.code is not None and is_trained(context.code):
        yield Option(linear(nn), "the code")


def _modules(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """Of what is asked for its parameters: a module of the snippet's, one layer, or a model of
    images. Of what is asked for a method that such a module has: that module."""
    if not OF_MODULES.intersection(usage.fields):
        yield from with_methods(name, usage, context)
        return
    yield from of_classes(name, context)
    if nn := _name_of_module("torch.nn", context):
        yield Option(linear(nn), "the code")
        yield Option(image_model(nn), "the code")


def _name_of_module(path: str, context: Context) -> str:
    """By which name the snippet knows a module; "" where its package is not the framework's."""
    names = vars(context.module)
    own = (n for n, v in names.items() if isinstance(v, ModuleType) and v.__name__ == path)
    package = path.partition(".")[0]
    return next(own, path if package in (*names, context.framework) else "")


def _members(cls: type, context: Context) -> Iterator[Value]:
    """Of an enumeration of the snippet."""
    if issubclass(cls, Enum) and context.module.__dict__.get(cls.__name__) is cls:
        yield from (Named(f"{cls.__name__}.{name}") for name in cls.__members__)


def _of_framework(cls: type, context: Context) -> Iterator[Value]:
    """A layer of torch's own class."""
    nn = _name_of_module("torch.nn", context)
    if nn and cls.__module__.startswith("torch.nn.modules"):
        found = layer(cls, nn)
        yield from () if found is None else (found,)


def _tensors_or_numbers(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    known, kind = number_of(name), context.kind(name)
    is_number = known is not None and kind is None and usage.letters is None and len(name) > 1
    is_number = is_number and not usage.keys and not usage.spread
    is_number = is_number and not TENSOR_ATTRIBUTES.intersection(usage.fields)
    if is_number:
        yield Option(Literal(known), "name")
    yield from list(tensors(name, usage, context))[: _MOST - 3]
    if known is not None and not is_number:
        yield Option(Literal(known), "name")
    yield from (Option(Literal(v), "trial") for v in (2, 0.5))
