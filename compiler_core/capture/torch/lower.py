"""A recorded trace to a graph: one pass over the calls, one table from ATen operation to rule.

Where the table has no row, torch's own decomposition of the operation is traced and lowered in
its place; where there is none, the operation stays torch's own kernel: a library call.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch import control, library
from compiler_core.capture.torch.alias import (
    Back,
    Tensor,
    returned_new,
    undeclared_mutation,
    unview,
    written,
)
from compiler_core.capture.torch.complex_calls import constant_of
from compiler_core.capture.torch.compositions import composition
from compiler_core.capture.torch.decompose import Steps, decomposed
from compiler_core.capture.torch.memory import Memory, is_view
from compiler_core.capture.torch.rules import has_rule, rule_of
from compiler_core.capture.torch.symbols import dim_of
from compiler_core.capture.torch.trace import (
    Call,
    TensorResult,
    Trace,
    TracedRegion,
    is_constant,
    size_of,
)
from compiler_core.capture.torch.types import check_strided, type_of
from compiler_core.errors import CaptureError, FuselabError, Unsupported
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import Undecided


class Lowering:
    """`tensors` maps the identity of a tensor to its value here; `lifted` are the real tensors that
    the program closes over, in the order of first use."""

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
        """An input of the program; `shape` is what it has had if the program changes that."""
        check_strided(tensor)
        shape = tuple(tensor.shape) if shape is None else shape
        node = self.b.parameter(type_of(tensor.dtype, shape), name)
        self.tensors[id(tensor)] = shown = Tensor(node)
        self.inputs.append((name, (tensor, tensor.dtype, shape), shown))
        return node

    def read(self, tensor: torch.Tensor) -> Value:
        """The value of `tensor` now, after all writes to what it is a view of."""
        known = self.tensors.get(id(tensor)) or self._lift(tensor)
        return known.read()

    def _lift(self, tensor: torch.Tensor) -> Tensor:
        """A tensor that the program closes over becomes an input."""
        real = self.trace.real.get(id(tensor), tensor)
        if isinstance(real, FakeTensor):
            raise Unsupported("a result that no rule computes is used here")
        name = self.closed_over.get(id(real)) or f"constant{len(self.lifted)}"
        self.lifted.append(real)
        self.parameter(tensor, name, tuple(real.shape))
        return self.tensors[id(tensor)]

    def written_inputs(self) -> list[int]:
        """The places of the inputs that the program has written to, or made views of these."""
        known = enumerate((self.tensors[id(t)], value) for _, (t, *_), value in self.inputs)
        return [i for i, (now, value) in known if value.version or now is not value]

    # -- calls

    def run(self) -> None:
        self.run_calls(self.trace.calls, self.first)

    def run_calls(self, calls: Sequence[Call], first: int) -> None:
        """Calls that are numbered from `first`."""
        number = first
        for call in calls:
            with self.b.origin(number):
                try:
                    self.call_number(number, call)
                except Undecided as question:
                    raise Undecided(f"{call.func}: {question.message}") from question
                except FuselabError as error:
                    error.line = error.line or (call.place[0] if call.place else None)
                    raise
            number += size_of(call)

    def call_number(self, number: int, call: Call) -> None:
        if not call.regions:
            self.call(call)
            return
        values = control.lower(self, call, number)
        for (tensor, _, _), value in zip(call.results, values, strict=True):
            self.tensors[id(tensor)] = Tensor(value)

    def region(self, region: TracedRegion, arguments: Sequence[Value], first: int) -> list[Value]:
        """What a function gives for `arguments`; its calls are numbered from `first`."""
        for tensor, value in zip(region.inputs, arguments, strict=True):
            self.tensors[id(tensor)] = Tensor(value)
        self.run_calls(region.calls, first)
        return [self.read(t) for t in region.outputs]

    def call(self, call: Call, steps: Steps | None = None) -> None:
        """Lowers one call and binds its results; `steps` are known to replace it."""
        for tensor, _, _ in call.results:
            check_strided(tensor)
        targets = written(call)
        if steps is not None:
            self._steps(call, steps)
        elif call.memory is not None:
            self._by_memory(call, call.memory)
        elif torch.Tag.inplace_view in call.func.tags:
            self._view_in_place(call)
        elif targets:
            if composition(call.func) is None or not self._by_steps(call):
                self._write(call, targets)
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
            nodes = rule(rule_for, *map(self._operand, call.args))
            return nodes if isinstance(nodes, tuple | list) or nodes is None else (nodes,)

        nodes = compute()
        if nodes is None:
            return False
        count = len(call.results)
        self._bind(call, nodes[:count], compute)
        # Rows of operations that write in secret give the new values as further results.
        for place, node in zip(undeclared_mutation(call), nodes[count:], strict=False):
            self._assign(call.args[place], node)
        return True

    def rule(self, call: Call) -> LoweringContext:
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
                raise Unsupported(f"{call.func} gives {expected}, its rule gives {node.type}")
            again = (lambda i=index: (compute() or ())[i]) if base else None
            self.tensors[id(tensor)] = Tensor(node, base, partial(unview, call, index), again)

    def _operand(self, arg: Any) -> Any:
        if isinstance(arg, torch.Tensor):
            return self.read(arg)
        if isinstance(arg, tuple | list):
            return [self._operand(a) for a in arg]
        if not isinstance(arg, torch.SymInt):
            return arg
        number = self.whole_numbers.get(str(arg.node.expr))
        return dim_of(arg) if number is None else self.read(number)

    # -- where there is no row

    def _without_row(self, call: Call) -> None:
        if not self._by_steps(call):
            nodes = library.call(self.rule(call), call.func, self._operand)
            self._bind(call, nodes, lambda: nodes)

    def _by_steps(self, call: Call) -> bool:
        """As the operations that the call is composed of, where it is."""
        steps = decomposed(call, self.trace, has_rule)
        if steps is not None:
            self._steps(call, steps)
        return steps is not None

    def _steps(self, call: Call, steps: Steps) -> None:
        self._run_steps(steps)
        for (tensor, _, _), result in zip(call.results, steps.results, strict=True):
            self.read(result)
            self.tensors[id(tensor)] = self.tensors[id(result)]

    def _run_steps(self, steps: Steps) -> None:
        self._kept.append(steps)
        for step, inner in steps.calls:
            self.call(step, inner)

    # -- writes

    def _assign(self, target: torch.Tensor, node: Value) -> None:
        """`target` has the value `node` from here on."""
        self.read(target)
        known = self.tensors[id(target)]
        known.write(LoweringContext(self.b, (known.node.type,)).like(node, known.node), self.b)

    def _write(self, call: Call, targets: Sequence[torch.Tensor]) -> None:
        """An operation in place: its functional twin, then a write to what it names."""
        for target in targets:
            self.read(target)
        fresh = returned_new(call)
        nodes = self._twin(call, targets, fresh)
        for target, node in zip(targets, nodes, strict=False):
            self._assign(target, node)
        returned = [t for t in call.results if not any(t is x for x in fresh)]
        for (tensor, _, _), target in zip(returned, targets, strict=False):
            self.tensors.setdefault(id(tensor), self.tensors[id(target)])
        for (tensor, _, _), node in zip(fresh, nodes[len(targets) :], strict=True):
            self.tensors[id(tensor)] = Tensor(node)

    def _twin(
        self, call: Call, targets: Sequence[torch.Tensor], fresh: Sequence[TensorResult]
    ) -> Sequence[Value]:
        """The new values of `targets`, then those of the results that are `fresh`."""
        types = tuple(self.tensors[id(t)].node.type for t in targets)
        twin = library.functional_twin(call.func)
        if twin is not None and len(targets) == 1 and not fresh:
            node = self._functional(call, twin, targets[0])
            if node is not None:
                return [node]
        types = (*types, *(type_of(dtype, shape) for _, dtype, shape in fresh))
        return library.write_call(
            LoweringContext(self.b, types, call.args), call.func, targets, self._operand
        )

    def _functional(self, call: Call, twin: Any, target: torch.Tensor) -> Value | None:
        """What the twin of an operation in place gives: by its row, or by its steps."""
        schema, rule = call.func._schema.arguments, rule_of(call, twin, [target.dtype])
        args = tuple(a for a, s in zip(call.args, schema, strict=True) if not s.is_out)
        if rule is not None:
            types = (self.tensors[id(target)].node.type,)
            node = rule(LoweringContext(self.b, types, args), *map(self._operand, args))
            if node is not None:
                value: Value = node[0] if isinstance(node, tuple | list) else node
                return value
        result = (target, target.dtype, tuple(target.shape))
        steps = decomposed(Call(twin, args, (result,), call.place), self.trace, has_rule)
        if steps is None:
            return None
        self._run_steps(steps)
        return self.read(steps.results[0])

    # -- views in place, and of memory

    def _view_in_place(self, call: Call) -> None:
        """`squeeze_` and its kin: the tensor becomes a view of what it was."""
        target, *rest = call.args
        twin = library.functional_twin(call.func)
        rule = rule_of(call, twin)
        if rule is None:
            raise CaptureError(
                f"{call.func} changes the size of a tensor in place",
                remedy="make a new tensor of that size instead",
            )
        ctx = self.rule(call)
        viewed = Call(twin, call.args, call.results, call.place)

        def read(x: Value) -> Value:
            node = rule(ctx, x, *rest)
            return node[0] if isinstance(node, list) else node

        self._show(target, target, read, partial(unview, viewed, 0))

    def _by_memory(self, call: Call, memory: Memory) -> None:
        """`as_strided`, and in place: then the tensor itself becomes such a view."""
        ((shown, _, _),) = call.results
        self._show(shown, memory.tensor, partial(memory.read, b=self.b), memory.write)

    def _show(
        self, shown: torch.Tensor, base: torch.Tensor, read: Callable[[Value], Value], back: Back
    ) -> None:
        """From here on `shown` is a view of `base`, whose value `read` takes its own from."""
        self.read(base)
        before = self.tensors[id(base)]

        self.tensors[id(shown)] = Tensor(
            read(before.node), before, back, lambda: read(before.read())
        )
