"""The meaning of every operation in torch: a float64 reference, and what TorchInductor is given.

`function` records a graph as a torch.fx module of the calls that a person would write (a constant
is a literal, a matrix product is `matmul`), so that Inductor sees nothing that its own
decompositions would not produce. Internally values use the storage types of eval_torch/context.py;
inputs and outputs have their own types. There is one file for each family of operations.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from compiler_core.interop.torch_dtypes import TORCH
from compiler_core.ir.eval_torch import control
from compiler_core.ir.eval_torch.context import STORAGE, Context, Rule, SeveralRule, cut
from compiler_core.ir.evaluate import bodies, foreign_call, walk
from compiler_core.ir.families import collect
from compiler_core.ir.graph import Graph, Operation, Value
from compiler_core.ir.ops import OPS
from compiler_core.ir.types import DType

# A rule takes the context, the value and its operands. It looks at no tensor's elements, so one
# rule serves tensors and the proxies of a recorded program alike.
RULES: dict[str, Rule] = collect(__name__, "RULES")

# The operations with any number of results: a rule takes the operation. Those with regions are
# control.py's.
SEVERAL: dict[str, SeveralRule] = collect(__name__, "SEVERAL")

Tensors = Sequence[torch.Tensor]
# Runs an operation with regions, given its operands and a function that computes its results by
# those regions. All tensors have the types of inputs and outputs.
Regions = Callable[[Operation, Tensors, Callable[[], Tensors]], Tensors]


def evaluate(
    graph: Graph,
    inputs: Sequence[torch.Tensor],
    *,
    float_dtype: torch.dtype | None = None,
    each: Callable[[Operation], None] = lambda operation: None,
    regions: Regions | None = None,
) -> list[torch.Tensor]:
    """The values of the outputs. With `float_dtype`, every floating-point operation is computed in
    that type, and floating-point outputs have it. `each` is called with each operation before it is
    computed, those in loops included, and may raise to end the evaluation. `regions` may run loops
    and branches in another way than operation by operation."""
    device = inputs[0].device if inputs else torch.device("cpu")
    context = Context(_make, float_dtype, device)
    with torch.no_grad():
        tensors = [_enter(context, p, x) for p, x in zip(graph.inputs, inputs, strict=True)]
        results = walk(graph, tensors, _Meaning(context, each, regions))
        return _left(graph.outputs, results)


def refusal(graph: Graph, compiler: str) -> str | None:
    """Why a compiler, named as users know it, cannot run the graph; None if it can."""
    return foreign_call(graph, "torch", compiler) or control.unrecorded(graph, compiler)


def function(graph: Graph, device: torch.device | str = "cpu") -> fx.GraphModule:
    """The graph as a module of plain torch calls that takes the flat inputs and returns a tuple:
    for torch.compile. Its nodes have the ids of their captured operations as `meta["origins"]`.
    `refusal` must have returned None."""
    recorded = fx.Graph()
    tracer = _Tracer(recorded)

    def record(function: Callable[..., Any], *args: Any, **kwargs: Any) -> fx.Proxy:
        return tracer.create_proxy("call_function", function, args, kwargs)

    context = Context(record, None, torch.device(device))
    meaning = _Meaning(context, tracer.enter)
    places = [fx.Proxy(recorded.placeholder(f"x{i}"), tracer) for i in range(len(graph.inputs))]
    tensors: list[Any] = [_enter(context, p, x) for p, x in zip(graph.inputs, places, strict=True)]
    results = walk(graph, tensors, meaning)
    left = _left(graph.outputs, results)
    recorded.output(tuple(x.node for x in left))
    return fx.GraphModule(torch.nn.Module(), recorded, graph.name)


def callable_of(operation: Operation) -> Callable[..., tuple[torch.Tensor, ...]]:
    """One operation as a function of its operands, in their own types and on their device: what a
    plan's step without a kernel calls."""

    def call(*operands: torch.Tensor) -> tuple[torch.Tensor, ...]:
        device = operands[0].device if operands else torch.device("cpu")
        context = Context(_make, None, device)
        with torch.no_grad():
            pairs = zip(operation.operands, operands, strict=True)
            results = _Meaning(context)(operation, *(_enter(context, p, x) for p, x in pairs))
            return tuple(_left(operation.results, results))

    return call


def _make(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


class _Tracer(fx.proxy.GraphAppendingTracer):
    """Notes of each call which captured operations it is for."""

    _origins: tuple[int, ...] = ()

    def enter(self, operation: Operation) -> None:
        """Attributes the calls that are recorded from here on to this operation."""
        self._origins = tuple(operation.origins)

    def create_proxy(self, *args: Any, **kwargs: Any) -> fx.Proxy:
        proxy = super().create_proxy(*args, **kwargs)
        proxy.node.meta["origins"] = self._origins
        return proxy


@dataclass(frozen=True)
class _Meaning:
    context: Context
    each: Callable[[Operation], None] = lambda operation: None
    regions: Regions | None = None

    def __call__(self, operation: Operation, *operands: Any) -> tuple[Any, ...]:
        self.each(operation)
        if operation.regions:
            return self._control(operation, operands)
        if operation.op in SEVERAL:
            results = SEVERAL[operation.op](self.context, operation, *operands)
        else:
            results = (RULES[operation.op](self.context, operation.result, *operands),)
        if not OPS[operation.op].wraps:
            return results
        return tuple(cut(t.dtype, x) for x, t in zip(results, operation.types, strict=True))

    def _control(self, operation: Operation, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        def interpret() -> tuple[Any, ...]:
            return control.control(self.context, operation, bodies(operation, self), operands)

        def interpreted() -> Tensors:
            return _left(operation.results, interpret())

        if self.regions is None:
            return interpret()
        found = self.regions(operation, _left(operation.operands, operands), interpreted)
        pairs = zip(operation.results, found, strict=True)
        return tuple(_enter(self.context, value, x) for value, x in pairs)


def _left(values: Sequence[Value], tensors: Sequence[Any]) -> list[Any]:
    pairs = zip(values, tensors, strict=True)
    return [_leave(value.type.dtype, x) for value, x in pairs]


def _enter(context: Context, parameter: Value, x: Any) -> Any:
    """An input in its storage type."""
    dtype = parameter.type.dtype
    if dtype.name == "u64":
        return x.view(torch.int64)
    if dtype.name in STORAGE or (dtype.is_float and context.float_dtype is not None):
        return x.to(context.dtype(dtype))
    return x


def _leave(dtype: DType, x: Any) -> Any:
    """An output converted from its storage type to its own."""
    if dtype.name == "u64":
        return x.view(torch.uint64)
    return x.to(TORCH[dtype.name]) if dtype.name in STORAGE else x
