"""What a training step takes besides its tensors: an optimizer of the parameters of the module
beside it, a scheduler of that optimizer, a gradient scaler, a loader that it iterates over."""

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product

from compiler_core.inputs import Arguments, Call, InputSpec, Listed, Literal, Named, New, Value
from compiler_core.snippet.guess.context import Context, Option
from compiler_core.snippet.guess.handed import with_handed
from compiler_core.snippet.guess.hints import is_loss
from compiler_core.snippet.guess.objects import asks_for_methods
from compiler_core.snippet.guess.tensors import tensors
from compiler_core.snippet.guess.usage import Usage, usages
from compiler_core.snippet.guess.words import is_of
from compiler_core.snippet.source import Definition

# Attributes that code reads of modules only.
OF_MODULES = frozenset((
    "parameters", "named_parameters", "buffers", "modules", "state_dict", "load_state_dict",
    "train", "eval", "children", "named_children", "named_modules", "get_submodule",
))  # fmt: skip
# Those that code reads of modules that are trained: a teacher is only put into eval().
_OF_TRAINED = OF_MODULES - {"eval"}
_OPTIMIZER = re.compile(r"(.*_)?(opt|optim|optimi[sz]er)(_\w+)?")
_SCHEDULER = re.compile(r"(.*_)?(lr_)?sched(ule)?r?(uler)?(_\w+)?")
_OF_OPTIMIZERS = frozenset(("step", "zero_grad"))
_OF_SCALERS = frozenset(("scale", "step", "update"))
_DEVICE = re.compile(r"(.*_)?device")
_LOADER = re.compile(r"(.*_)?(data_?)?(loader|iter|iterator|batches|dl|generator)")
# How many batches a loader has, how many of the likeliest values of each tensor are tried, and how
# many combinations of these.
_BATCHES, _LIKELIEST, _MOST = 2, 4, 16
_AROUND = ("enumerate", "tqdm", "iter", "list")


def is_module(name: str, usage: Usage) -> bool:
    """Whether the code uses a parameter as a module: it reads its parameters, or calls it."""
    return bool(OF_MODULES.intersection(usage.fields)) or (
        usage.called is not None and not is_loss(name)
    )


def is_trained(code: ast.AST) -> bool:
    """Whether the code runs a backward pass: `loss.backward()`."""
    return any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in ast.walk(code))


def beside_tensors(name: str, usage: Usage, context: Context) -> Iterator[Option]:
    """The possible values of a parameter that the code uses as a training step does; none for any
    other."""
    if context.framework != "torch" or context.constructor:
        return
    options = next((make for asks, make in _KINDS if asks(name, usage)), None)
    if options is not None:
        yield from (Option(value, "the code") for value in options(name, context))


def _is_device(name: str, usage: Usage) -> bool:
    return _DEVICE.fullmatch(name.lower()) is not None


def _is_optimizer(name: str, usage: Usage) -> bool:
    """Modules have a zero_grad as well."""
    asked = _OF_OPTIMIZERS.intersection(usage.fields)
    said = asked == _OF_OPTIMIZERS or _OPTIMIZER.fullmatch(name.lower()) is not None
    return bool(asked) and said and not is_module(name, usage)


def _is_scheduler(name: str, usage: Usage) -> bool:
    return "step" in usage.fields and _SCHEDULER.fullmatch(name.lower()) is not None


def _is_scaler(name: str, usage: Usage) -> bool:
    return _OF_SCALERS.issubset(usage.fields)


def _devices(name: str, context: Context) -> Iterator[Value]:
    yield Literal(context.device)


def _optimizers(name: str, context: Context) -> Iterator[Value]:
    """Of the parameters of each module beside it, those of its own name first."""

    def likely(module: str) -> tuple[bool, bool]:
        asked = _OF_TRAINED.intersection(context.usages[module].fields)
        return not is_of(name, module), not asked

    for module in sorted(modules_of(context), key=likely):
        yield New(_optimizer(context), Arguments((New(f"{module}.parameters", Arguments()),)))


def _optimizer(context: Context) -> str:
    """The snippet's own class, or the one that it imports; else the usual one."""
    import torch

    for name, value in vars(context.module).items():
        is_class = inspect.isclass(value) and value is not torch.optim.Optimizer
        if is_class and issubclass(value, torch.optim.Optimizer):
            return name
    return "torch.optim.Adam"


def _schedulers(name: str, context: Context) -> Iterator[Value]:
    for each, usage in context.usages.items():
        if _is_optimizer(each, usage) and not _is_scheduler(each, usage):
            yield New("torch.optim.lr_scheduler.StepLR", Arguments((Named(each), Literal(1))))


def _scalers(name: str, context: Context) -> Iterator[Value]:
    yield New("torch.amp.GradScaler", Arguments((Literal(context.device),)))


_KINDS = (
    (_is_device, _devices),
    (_is_scaler, _scalers),
    (_is_scheduler, _schedulers),
    (_is_optimizer, _optimizers),
)


@dataclass(frozen=True)
class _Batch:
    """What one batch of a loader is called: one name, or those that it is unpacked to."""

    names: tuple[str, ...]
    unpacked: bool


def loaded(name: str, context: Context) -> Iterator[Option]:
    """A few equal batches for `for x, y in loader`, if the parameter has a loader's name."""
    code = context.code
    if context.framework != "torch" or not _LOADER.fullmatch(name.lower()):
        return
    batch = _batch(name, code) if isinstance(code, Definition) else None
    if batch is None or not isinstance(code, Definition):
        return
    used = with_handed(usages(code, list(batch.names)), code, context.tree)
    inner = replace(context.within(name), usages={**context.usages, **used})
    each = [list(islice(tensors(n, used[n], inner), _LIKELIEST)) for n in batch.names]
    places = sorted(product(*(range(len(options)) for options in each)), key=sum)
    for at in places[:_MOST]:
        values = _collated([options[i].value for options, i in zip(each, at, strict=True)])
        one = Listed(values, "(") if batch.unpacked else values[0]
        yield Option(Listed((one,) * _BATCHES), "the code")


def _collated(values: Sequence[Value]) -> tuple[Value, ...]:
    """Of as many examples each as the first has."""
    count = next((v.shape[0] for v in values if isinstance(v, InputSpec) and v.shape), 0)

    def of_as_many(value: Value) -> Value:
        if not isinstance(value, InputSpec) or not value.shape:
            return value
        return replace(value, shape=(count, *value.shape[1:]))

    return tuple(map(of_as_many, values))


def _batch(name: str, code: ast.AST) -> _Batch | None:
    loops = (node for node in ast.walk(code) if isinstance(node, ast.For))
    return next((b for loop in loops if (b := _target(loop.target, loop.iter, name))), None)


def _target(target: ast.expr, over: ast.expr, name: str) -> _Batch | None:
    """The names of what is gone over in `over`, where that is `name` or something around it."""
    while isinstance(over, ast.Call) and over.args:
        called = over.func.attr if isinstance(over.func, ast.Attribute) else ast.unparse(over.func)
        if called not in _AROUND:
            return None
        if called == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) > 1:
            target = target.elts[1]
        over = over.args[0]
    if not isinstance(over, ast.Name) or over.id != name:
        return None
    parts: Sequence[ast.expr] = target.elts if isinstance(target, ast.Tuple) else [target]
    names = tuple(p.id for p in parts if isinstance(p, ast.Name))
    is_whole = len(names) == len(parts)
    return _Batch(names, isinstance(target, ast.Tuple)) if is_whole else None


def modules_of(context: Context) -> list[str]:
    """The parameters that are modules, including those on which a module's method is called."""
    used = context.usages
    return [n for n, u in used.items() if is_module(n, u) or asks_for_methods(u, context)]


def has_optimizer(call: Call) -> bool:
    """Whether a call is given an optimizer or the like, which changes a module: such a call need
    not return anything."""
    given = (*call.inputs.positional, *dict(call.inputs.keywords).values())
    return any(_is_of_parameters(value) for value in given)


def _is_of_parameters(value: Value) -> bool:
    arguments = value.arguments.positional if isinstance(value, New) else ()
    return any(isinstance(a, New) and a.name.endswith(".parameters") for a in arguments)
