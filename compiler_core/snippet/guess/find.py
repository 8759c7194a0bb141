"""Inputs, and constructor arguments, for one function, module or class of the snippet."""

import ast
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from compiler_core.inputs import Arguments, Call, Literal, New
from compiler_core.snippet.guess import trial
from compiler_core.snippet.guess.context import Context, Option
from compiler_core.snippet.guess.domain import within
from compiler_core.snippet.guess.einsums import shapes_of_einsums
from compiler_core.snippet.guess.handed import with_handed
from compiler_core.snippet.guess.kept import methods, with_kept
from compiler_core.snippet.guess.layers import Layer, layers
from compiler_core.snippet.guess.makers import layers_of, maker_calls
from compiler_core.snippet.guess.mended import mended
from compiler_core.snippet.guess.objects import required
from compiler_core.snippet.guess.optimizers import trained
from compiler_core.snippet.guess.options import VARIABLE, last_size, options_of
from compiler_core.snippet.guess.products import products
from compiler_core.snippet.guess.said import with_said
from compiler_core.snippet.guess.search import Found, Slot, call_of, search
from compiler_core.snippet.guess.training import modules_of
from compiler_core.snippet.guess.trial import Outcome, Subject
from compiler_core.snippet.guess.usage import definition_at, usages, with_keys
from compiler_core.snippet.output import unlogged
from compiler_core.snippet.plain import Plain, is_optimizer
from compiler_core.snippet.signature import parameters
from compiler_core.snippet.source import Definition, Source
from compiler_core.snippet.tensors import maker

_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_VARIABLE = inspect.Parameter.VAR_POSITIONAL
# How many arguments a function gets that takes any number and no others.
_SEVERAL = 2


@dataclass(frozen=True)
class Guess:
    """A call that succeeds or, if `failed` says why it ended, the one that got furthest of all that
    were tried. `reasons` has the reason for each name's value; `called` are the parameters that the
    code calls; `absent` is a missing package that ended the call."""

    plain: Plain
    call: Call
    reasons: tuple[tuple[str, str], ...] = ()
    failed: str | None = None
    line: int | None = None
    called: tuple[str, ...] = ()
    absent: str = ""

    def why_not(self) -> str:
        """Which call of a failed guess was tried, and what it raised."""
        more = (f"; `{x}` is called there: define it, or name what it is" for x in self.called)
        return f"with {self.call}, {self.failed}{''.join(more)}"

    def sentence(self) -> str:
        """The notice that says what was assumed."""
        by: dict[str, list[str]] = {}
        for name, why in dict.fromkeys(self.reasons):
            by.setdefault(why, []).append(name)
        chosen = "; ".join(f"{', '.join(names)} by {why}" for why, names in by.items())
        taken = f" ({chosen})" if chosen else ""
        return (
            f"nothing calls `{self.plain.name}`: it is run as {self.call}{taken}; "
            "change that in Inputs"
        )


@unlogged()
def guess(plain: Plain, source: Source, subject: Subject, inputs: Arguments | None = None) -> Guess:
    """The first guess that succeeds, or the one that got furthest. `inputs` are those that a person
    gave, where only constructor arguments are missing."""
    known, slots = _constructed(plain, source, subject)
    context = Context(
        subject.framework, subject.names, source.tree, layers=tuple(known), device=subject.device,
        given=_numbers(plain, slots),
    )  # fmt: skip
    definition, own = _definition(plain, source), [p.name for p in _own(plain)]
    if definition is not None:
        said = {p.name: last_size(p, context) for p in _own(plain)}
        implied = products(definition, said, source.tree, subject.framework)
        used = with_said(usages(definition, own), definition, source)
        used = with_handed(used, definition, source.tree)
        used = with_keys(used, implied.keyed)
        einsums = shapes_of_einsums(definition, own, source.tree, subject.framework)
        context = replace(context, usages=used, products=implied, einsums=einsums, code=definition)
        models = _model_layers(plain, context, subject) or _own_layers(definition, subject)
        context = replace(context, layers=(*known, *models))
    if inputs is None:
        context = replace(
            context, layers=(*context.layers, *_layers_of_parameters(own, context, subject))
        )
        slots += _input_slots(plain, context)

    def make(chosen: Sequence[Option]) -> Call:
        call = call_of(plain.name, slots, chosen, plain.is_class)
        return call if inputs is None else Call(inputs, call.name, call.constructor)

    names = _names_at(plain, source)
    found = search(slots, make, lambda call: _attempt(subject, call), names)

    def again(chosen: Sequence[Option]) -> Found:
        return Found(make(chosen), _attempt(subject, make(chosen)), tuple(chosen), found.trials)

    if not found.outcome.ok or _leaves_a_variable(slots, found):
        first = again([slot.options[0] for slot in slots])
        starts = (first,) if found.outcome.ok else (first, found)
        tried = (way(each, again) for each in starts for way in (within, mended))
        found = next((each for each in tried if each.outcome.ok), found)
    found = within(found, again)
    reasons = tuple((s.name, o.why) for s, o in zip(slots, found.chosen, strict=True))
    # What real tensors raise is in the framework's own words.
    outcome = found.outcome if found.outcome.ok else trial.really(subject, found.call)
    line = next((n for n in reversed(outcome.lines) if n != trial.FAR), None)
    called = tuple(s.name for s in slots if _is_called(s, context))
    return Guess(plain, found.call, reasons, outcome.error, line, called, outcome.absent)


def _leaves_a_variable(slots: Sequence[Slot], found: Found) -> bool:
    """Whether something else is given than the snippet's variable of a parameter's name."""
    pairs = zip(slots, found.chosen, strict=True)
    return any(s.options[0].why == VARIABLE and o is not s.options[0] for s, o in pairs)


def _is_called(slot: Slot, context: Context) -> bool:
    usage = context.usages.get(slot.name)
    return not slot.constructor and usage is not None and usage.called is not None


def _attempt(subject: Subject, call: Call) -> Outcome:
    """Without values; with them, where that goes through or is left undecided."""
    outcome = trial.abstractly(subject, call)
    if subject.framework == "torch" and (outcome.ok or outcome.by_values):
        return trial.really(subject, call)
    return outcome


def _constructor_slots(plain: Plain, source: Source, subject: Subject) -> list[Slot]:
    if not plain.is_class:
        return []
    own = required(inspect.signature(plain.fn))
    context = Context(subject.framework, subject.names, source.tree, constructor=True)
    if (code := _code(getattr(plain.fn, "__init__", None), source)) is not None:
        used = with_handed(usages(code, [p.name for p in own]), code, source.tree)
        whole = methods(code, source.tree)
        context = replace(context, usages=with_kept(used, whole), code=whole)
    slots = [Slot(p.name, options_of(p, context), True, p.kind is _KEYWORD) for p in own]
    if is_optimizer(plain.fn) and slots:
        slots[0] = replace(slots[0], options=tuple(trained()))
    return slots


def _constructed(plain: Plain, source: Source, subject: Subject) -> tuple[list[Layer], list[Slot]]:
    """The layers of a module, of a class those of the first object that can be made; and the
    constructor's slots, with what made it first."""
    if not plain.is_class:
        return _layers_of(subject.fn), []
    instances: list[Any] = []
    slots = _constructor_slots(plain, source, subject)

    def attempt(call: Call) -> Outcome:
        outcome, built = trial.constructed(subject, call)
        instances.append(built)
        return outcome

    found = search(
        slots, lambda chosen: call_of(plain.name, slots, chosen, True), attempt,
        _names_at(plain, source),
    )  # fmt: skip
    first = [
        Slot(s.name, (o, *(x for x in s.options if x is not o)), True, s.keyword)
        for s, o in zip(slots, found.chosen, strict=True)
    ]
    return (_layers_of(instances[-1]) if found.outcome.ok else []), first


def _numbers(plain: Plain, slots: Sequence[Slot]) -> dict[str, int]:
    """The whole numbers that a class is constructed with, its defaults among them."""
    if not plain.is_class:
        return {}
    own = inspect.signature(plain.fn).parameters.values()
    known = {p.name: p.default for p in own}
    chosen = ((s.name, s.options[0].value) for s in slots)
    known |= {name: value.value for name, value in chosen if isinstance(value, Literal)}
    return {name: value for name, value in known.items() if type(value) is int}


def _layers_of_parameters(names: Sequence[str], context: Context, subject: Subject) -> list[Layer]:
    """What the parameters that the snippet makes say of the other arguments: those by the names of
    arguments, or of what is read of them, `state.params`, `state["params"]`."""
    read = [x for usage in context.usages.values() for x in (*usage.fields, *usage.keys)]
    new = next((new for name in (*names, *read) for new in maker_calls(name, context)), None)
    make = maker(subject.framework, subject.device)
    return layers_of(new, make, subject.names) if new else []


def _model_layers(plain: Plain, context: Context, subject: Subject) -> list[Layer]:
    """The layers of the first module that another parameter may be."""
    own = {p.name: p for p in _own(plain)}
    names = modules_of(context) if subject.framework == "torch" else []
    for name in [n for n in names if n in own]:
        for value in (option.value for option in options_of(own[name], context)):
            cls = getattr(subject.names, value.name, None) if isinstance(value, New) else None
            if isinstance(value, New) and callable(cls):
                call = Call(Arguments(), value.name, value.arguments)
                _, built = trial.constructed(replace(subject, fn=cls, method=""), call)
                return [] if built is None else _layers_of(built)
    return []


def _own_layers(definition: ast.AST, subject: Subject) -> list[Layer]:
    """The layers of the first of the snippet's own modules that the code calls."""
    called = (n.func for n in ast.walk(definition) if isinstance(n, ast.Call))
    names = (f.id for f in called if isinstance(f, ast.Name))
    values = (vars(subject.names).get(name) for name in names)
    found = (v for v in values if not inspect.isclass(v) and hasattr(v, "named_parameters"))
    return _layers_of(next(found, None))


def _layers_of(module: Any) -> list[Layer]:
    return layers(module) if hasattr(module, "named_parameters") else []


def _own(plain: Plain) -> list[inspect.Parameter]:
    every = parameters(plain.called)
    return [p for p in every if p.name in plain.parameters or p.kind in (_KEYWORD, _VARIABLE)]


def _input_slots(plain: Plain, context: Context) -> list[Slot]:
    own = _own(plain)
    needed = required(inspect.Signature(own, __validate_parameters__=False))
    if not needed:
        needed = [p for p in own if p.kind is _VARIABLE] * _SEVERAL
    return [Slot(p.name, options_of(p, context), False, p.kind is _KEYWORD) for p in needed]


def _definition(plain: Plain, source: Source) -> Definition | ast.Lambda | None:
    return _code(plain.called, source)


def _code(fn: Any, source: Source) -> Definition | ast.Lambda | None:
    code = getattr(inspect.unwrap(fn), "__code__", None)
    return None if code is None else definition_at(source, code.co_firstlineno, code.co_name)


def _names_at(plain: Plain, source: Source) -> Callable[[tuple[int, ...]], frozenset[str]]:
    """What the lines where a guess ended name, and what these names were computed from."""
    definition = _definition(plain, source)
    from_ = {} if definition is None else _dependencies(definition)
    by_line: dict[int, set[str]] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Name):
            by_line.setdefault(node.lineno, set()).add(node.id)

    def named(lines: tuple[int, ...]) -> frozenset[str]:
        found = set().union(*(by_line.get(line, set()) for line in lines))
        return frozenset(found.union(*(from_.get(name, set()) for name in found)))

    return named


def _dependencies(definition: ast.AST) -> dict[str, set[str]]:
    """For each name that the code assigns, all names that it was computed from."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(definition):
        if isinstance(node, ast.Assign):
            read = set(_names_in([node.value]))
            for name in _names_in(node.targets):
                found.setdefault(name, set()).update(read)
    for _ in range(len(found)):
        for read in found.values():
            read.update(*(found.get(name, set()) for name in list(read)))
    return found


def _names_in(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        yield from (n.id for n in ast.walk(node) if isinstance(n, ast.Name))
