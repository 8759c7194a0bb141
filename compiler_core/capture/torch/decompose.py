"""Operations without a rule as programs of others: by our compositions or torch's decompositions,
traced on the call's fake tensors."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import torch

from compiler_core.capture.torch.compositions import composition
from compiler_core.capture.torch.private import decompositions
from compiler_core.capture.torch.schema import divided
from compiler_core.capture.torch.trace import Call, Recorder, Trace
from compiler_core.interop.private import FakeTensor

# Operations whose decomposition draws other random numbers, or is a loop where one kernel would do.
_KEEP = frozenset({"convolution", "_convolution", "native_dropout", "bernoulli", "_softmax"})
_MAX_DEPTH = 6


@dataclass(frozen=True)
class Steps:
    """The calls of a decomposition, each with its own decomposition if it has no rule either;
    `results` stand for the tensor results of the original call."""

    calls: list[tuple[Call, Optional["Steps"]]]
    results: tuple[torch.Tensor, ...]


def decomposed(
    call: Call, trace: Trace, has_rule: Callable[[Call], bool], depth: int = 0
) -> Steps | None:
    """The calls that replace `call`; None if one of them would have neither a rule nor a
    decomposition: one library call is then better than many."""
    calls: list[Call] = []
    results = _run(call, trace, calls)
    if results is None or depth == _MAX_DEPTH or not _closed(call, trace, calls):
        return None
    steps: list[tuple[Call, Steps | None]] = []
    for step in calls:
        inner = None
        if not has_rule(step):
            inner = decomposed(step, trace, has_rule, depth + 1)
            if inner is None:
                return None
        steps.append((step, inner))
    return Steps(steps, results)


def _closed(call: Call, trace: Trace, steps: Sequence[Call]) -> bool:
    """Whether every abstract tensor that a step reads comes from the call or from a step."""
    known = {*map(id, _fakes(call.args)), *trace.real}
    for step in steps:
        if not known.issuperset(map(id, _fakes(step.args))):
            return False
        known.update(id(tensor) for tensor, _, _ in step.results)
    return True


def _fakes(args: Any) -> Iterator[FakeTensor]:
    for arg in args:
        if isinstance(arg, tuple | list):
            yield from _fakes(arg)
        elif isinstance(arg, FakeTensor):
            yield arg


def _run(call: Call, trace: Trace, calls: list[Call]) -> tuple[torch.Tensor, ...] | None:
    """Traces the composition, or else torch's decomposition, into `calls`."""
    name = call.func._schema.name.removeprefix("aten::")
    rule = composition(call.func) or decompositions().get(call.func)
    if rule is None or name in _KEEP or _draws(call):
        return None
    # Some write into the lists that they are given.
    args = [list(a) if isinstance(a, list) else a for a in call.args]
    positional, named = divided(call.func, args)
    try:
        with torch.no_grad(), trace.mode, Recorder(trace, calls):
            result = rule(*positional, **named)
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        return None  # it is not for these arguments: the call becomes torch's own kernel
    if result is NotImplemented or any(step.func is call.func for step in calls):
        return None
    return _matched(call, result)


def _draws(call: Call) -> bool:
    """Whether it takes from a generator: not where dropout, for which it would, drops nothing."""
    given = zip(call.func._schema.arguments, call.args, strict=True)
    drops_nothing = any(a.name == "dropout_p" and value == 0 for a, value in given)
    return torch.Tag.nondeterministic_seeded in call.func.tags and not drops_nothing


def _matched(call: Call, result: Any) -> tuple[torch.Tensor, ...] | None:
    """The results, where they are what the call itself gave."""
    values = result if isinstance(result, tuple | list) else (result,)
    tensors = tuple(t for t in values if isinstance(t, torch.Tensor))
    if len(tensors) != len(call.results):
        return None
    fits = all(
        t.dtype == dtype and tuple(t.shape) == shape
        for t, (_, dtype, shape) in zip(tensors, call.results, strict=True)
    )
    return tensors if fits else None
