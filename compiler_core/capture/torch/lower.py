"""A recorded trace to a graph: one pass over the calls, one table from ATen operation to rule.

Where the table has no row, torch's own decomposition of the operation is traced and lowered in
its place; where there is none, the operation stays torch's own kernel: a library call.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch import control, library, whole_numbers, writes
from compiler_core.capture.torch.alias import Tensor, undeclared_mutation, unview, written
from compiler_core.capture.torch.complex_numbers.calls import constant_of
from compiler_core.capture.torch.compositions import composition
from compiler_core.capture.torch.decompose import Steps, decomposed
from compiler_core.capture.torch.fixed import Fixed
from compiler_core.capture.torch.memory import is_view
from compiler_core.capture.torch.numbers_of_sizes import scalar_of, taken_by
from compiler_core.capture.torch.rules import has_rule, rule_of
from compiler_core.capture.torch.symbols import dim_of, is_number
from compiler_core.capture.torch.text import in_words
from compiler_core.capture.torch.trace import (
    Call,
    TensorResult,
    Trace,
    TracedRegion,
    is_constant,
    size_of,
)
from compiler_core.capture.torch.types import check_strided, check_unquantized, type_of
from compiler_core.capture.torch.unread_draws import with_unread_draws
from compiler_core.errors import REPORT_IT, Unsupported, at_line
from compiler_core.interop.private import FakeTensor
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Value
from compiler_core.ir.sizes import Undecided


class Lowering:
    """`tensors` maps the identity of a tensor to its current value; `lifted` are the real tensors
    that the program closes over, in the order of first use."""

    def __init__(self, trace: Trace, closed_over: Mapping[int, str], first: int = 0) -> None:
        self.b, self.trace, self.closed_over = Builder(), trace, closed_over
        self.tensors: dict[int, Tensor] = {}
        # Decompositions, whose tensors nobody else keeps: no later one may take their identity.
        self._kept: list[Steps] = []
        # The number of the first call: numbers are unique in a program, over all its graphs.
        self.first = first
        self.lifted: list[torch.Tensor] = []
        # Name, tensor as it was given, value.
        self.inputs: list[tuple[str, TensorResult, Tensor]] = []
        # Inputs of one element, by the symbols that torch has for them.
        self.whole_numbers: dict[str, torch.Tensor] = {}

    # -- tensors

    def parameter(
        self, tensor: torch.Tensor, name: str, shape: tuple[int, ...] | None = None
    ) -> Value:
        """An input of the program; `shape` is the one that it was passed with, where the program
        changes that."""
        check_strided(tensor)
        shape = tuple(tensor.shape) if shape is None else shape
        node = self.b.parameter(type_of(tensor.dtype, shape), name)
        self.tensors[id(tensor)] = shown = Tensor(node)
        self.inputs.append((name, (tensor, tensor.dtype, shape), shown))
        return node

    def read(self, tensor: torch.Tensor) -> Value:
        """The current value of `tensor`, after all writes to its memory."""
        known = self.tensors.get(id(tensor)) or self._lift(tensor)
        return known.read()

    def _lift(self, tensor: torch.Tensor) -> Tensor:
        """A tensor that the program closes over becomes an input."""
        real = self.trace.real.get(id(tensor), tensor)
        if isinstance(real, FakeTensor):
            raise Unsupported("a result that no rule computes is used here", remedy=REPORT_IT)
        name = self.closed_over.get(id(real)) or f"constant{len(self.lifted)}"
        self.lifted.append(real)
        self.parameter(tensor, name, tuple(real.shape))
        return self.tensors[id(tensor)]

    def written_inputs(self) -> list[int]:
        """The positions of the inputs that the program has written to, or turned into views in
        place."""
        known = enumerate((self.tensors[id(t)], value) for _, (t, *_), value in self.inputs)
        return [i for i, (now, value) in known if value.version or now is not value]

    def graph(self, name: str, outputs: Sequence[Value]) -> Graph:
        """The graph of the operations that `outputs` depend on, and of those that keep random
        numbers in order."""
        return with_unread_draws(self.b.graph(name, outputs), self.b.drawn)

    # -- calls

    def run(self) -> None:
        """Lowers all calls of the trace."""
        self.run_calls(self.trace.calls, self.first)

    def run_calls(self, calls: Sequence[Call], first: int) -> None:
        """Lowers calls whose captured operations are numbered from `first`. Raises Undecided where
        the graph would depend on the value of a symbolic size."""
        number = first
        for call in calls:
            with self.b.origin(number), at_line(call.place[0] if call.place else None):
                try:
                    self.call_number(number, call)
                except Fixed:
                    raise
                except Undecided as question:
                    raise question.of(in_words(call.func)) from question
            number += size_of(call)

    def call_number(self, number: int, call: Call) -> None:
        """Lowers a call as captured operation `number`."""
        if not call.regions:
            self.call(call)
            return
        values = control.lower(self, call, number)
        for (tensor, _, _), value in zip(call.results, values, strict=True):
            self.tensors[id(tensor)] = Tensor(value)

    def region(self, region: TracedRegion, arguments: Sequence[Value], first: int) -> list[Value]:
        """The values that a function returns for `arguments`; its calls are numbered from
        `first`."""
        for tensor, value in zip(region.inputs, arguments, strict=True):
            self.tensors[id(tensor)] = Tensor(value)
        self.run_calls(region.calls, first)
        return [self.read(t) for t in region.outputs]

    def call(self, call: Call, steps: Steps | None = None) -> None:
        """Lowers one call and binds its results; `steps`, if given, replace it."""
        for argument in call.args:
            check_unquantized(argument)
        for tensor, _, _ in call.results:
            check_strided(tensor)
        targets = written(call)
        if steps is not None:
            self._steps(call, steps)
        elif call.memory is not None:
            writes.view_of_memory(self, call, call.memory)
        elif torch.Tag.inplace_view in call.func.tags:
            writes.view_in_place(self, call)
        elif targets:
            if composition(call.func) is None or not self._by_steps(call):
                writes.write(self, call, targets)
        elif is_constant(call):
            self.tensors[id(call.results[0][0])] = Tensor(constant_of(self.b, call))
        elif not self._by_table(call):
            self._without_row(call)

    def _by_table(self, call: Call) -> bool:
        rule = rule_of(call, call.func)
        if rule is None:
            return False
        rule_for = self.rule(call)

        def compute() -> Sequence[Value] | None:
            nodes = rule(rule_for, *self.operands(call.func, call.args))
            return nodes if isinstance(nodes, tuple | list) or nodes is None else (nodes,)

        nodes = compute()
        if nodes is None:
            return False
        count = len(call.results)
        self._bind(call, nodes[:count], compute)
        # Rows of operations with undeclared mutations give the new values as further results.
        for place, node in zip(undeclared_mutation(call), nodes[count:], strict=False):
            writes.assign(self, call.args[place], node)
        return True

    def rule(self, call: Call) -> LoweringContext:
        """The context in which a rule lowers a call."""
        types = tuple(type_of(dtype, shape) for _, dtype, shape in call.results)
        return LoweringContext(self.b, types, call.args)

    def _bind(
        self, call: Call, nodes: Sequence[Value], compute: Callable[[], Sequence[Value] | None]
    ) -> None:
        base = self.tensors.get(id(call.args[0])) if is_view(call.func) else None
        for index, ((tensor, dtype, shape), node) in enumerate(
            zip(call.results, nodes, strict=True)
        ):
            if id(tensor) in self.tensors:
                continue
            expected = type_of(dtype, shape)
            if node.type != expected:
                raise Unsupported(
                    f"{in_words(call.func)} gives {expected}, its rule gives {node.type}",
                    remedy=REPORT_IT,
                )
            again = (lambda i=index: (compute() or ())[i]) if base else None
            self.tensors[id(tensor)] = Tensor(node, base, partial(unview, call, index), again)

    def operands(self, func: Any, args: Sequence[Any]) -> list[Any]:
        """The arguments of a call of `func`, with values in place of tensors; floats that are
        computed from sizes become scalar values where the operation accepts tensors in their
        place."""
        return [
            scalar_of(self.b, arg)
            if isinstance(arg, torch.SymFloat) and taken_by(func, place)
            else self.operand(arg)
            for place, arg in enumerate(args)
        ]

    def operand(self, arg: Any) -> Any:
        """An argument of a call with values in place of its tensors."""
        if isinstance(arg, torch.Tensor):
            return self.read(arg)
        if isinstance(arg, tuple | list):
            return [self.operand(a) for a in arg]
        if not isinstance(arg, torch.SymInt):
            return arg
        if not is_number(arg):
            return dim_of(arg)
        known = {name: partial(self.read, x) for name, x in self.whole_numbers.items()}
        return whole_numbers.scalar_of(self.b, arg, known)

    # -- where there is no row

    def _without_row(self, call: Call) -> None:
        if not self._by_steps(call):
            nodes = library.call(self.rule(call), call.func, self.operand)
            self._bind(call, nodes, lambda: nodes)

    def _by_steps(self, call: Call) -> bool:
        """As the operations that the call is composed of, where it is."""
        steps = decomposed(call, self.trace, has_rule)
        if steps is not None:
            self._steps(call, steps)
        return steps is not None

    def _steps(self, call: Call, steps: Steps) -> None:
        self.run_steps(steps)
        for (tensor, _, _), result in zip(call.results, steps.results, strict=True):
            self.read(result)
            self.tensors[id(tensor)] = self.tensors[id(result)]

    def run_steps(self, steps: Steps) -> None:
        """Lowers the calls that replace another, keeping their tensors alive."""
        self._kept.append(steps)
        for step, inner in steps.calls:
            self.call(step, inner)
