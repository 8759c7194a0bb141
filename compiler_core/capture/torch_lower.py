"""A recorded trace to a graph: one pass over the calls, one table from ATen operation to rule.

Where the table has no row, torch's own decomposition of the operation is traced and lowered in
its place; where there is none, the operation stays torch's own kernel: a library call.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from compiler_core.capture import torch_library
from compiler_core.capture.rules import Rule
from compiler_core.capture.torch_alias import Tensor, is_view, written
from compiler_core.capture.torch_decompose import decomposed
from compiler_core.capture.torch_table import TABLE
from compiler_core.capture.torch_trace import Call, Trace
from compiler_core.capture.torch_types import type_of
from compiler_core.errors import CaptureError, FuselabError, Unsupported
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Node

_MAX_DEPTH = 8


class Lowering:
    """`tensors` maps the identity of a torch tensor to its value here. `lifted` are the tensors
    that no call made, in the order of their first use."""

    def __init__(self, mode: FakeTensorMode, grad: bool) -> None:
        self.b, self.mode, self.grad = Builder(), mode, grad
        self.tensors: dict[int, Tensor] = {}
        self.lifted: list[torch.Tensor] = []
        self.closed_over: Mapping[int, str] = {}
        self.inputs: list[tuple[str, Tensor]] = []

    # -- tensors

    def parameter(self, tensor: torch.Tensor, name: str) -> Node:
        """An input of the program."""
        node = self.b.parameter(type_of(tensor.dtype, tensor.shape), name)
        self.tensors[id(tensor)] = made = Tensor(node)
        self.inputs.append((name, made))
        return node

    def name_of(self, tensor: torch.Tensor) -> str:
        """What the snippet calls a tensor that it closes over."""
        places = (i for i, t in enumerate(self.lifted) if t is tensor)
        return self.closed_over.get(id(tensor)) or f"constant{next(places, 0)}"

    def read(self, tensor: torch.Tensor) -> Node:
        """The value of `tensor` now, after all writes to what it is a view of."""
        known = self.tensors.get(id(tensor))
        if known is None:
            if isinstance(tensor, FakeTensor):
                raise Unsupported("a result that no rule computes is used here")
            self.lifted.append(tensor)
            self.parameter(tensor, self.name_of(tensor))
            known = self.tensors[id(tensor)]
        return known.read()

    def written_inputs(self, calls: Sequence[Call]) -> Iterator[tuple[str, int | None]]:
        """The inputs that the program has written to, and a line that does."""
        lines = [c.place[0] for c in calls if c.place and written(c)]
        for name, tensor in self.inputs:
            if tensor.version:
                yield name, lines[-1] if lines else None

    # -- calls

    def run(self, trace: Trace) -> None:
        for number, call in enumerate(trace.calls):
            with self.b.origin(number):
                try:
                    self.call(call)
                except FuselabError as error:
                    error.line = error.line or (call.place[0] if call.place else None)
                    raise

    def call(self, call: Call, depth: int = 0) -> None:
        """Lowers one call and binds its results."""
        if depth > _MAX_DEPTH:
            raise Unsupported(f"{call.func} decomposes without end")
        targets = written(call)
        if targets:
            self._write(call, targets, depth)
        elif _is_constant(call):
            value = self.b.scalar(call.args[0].item(), *_scalar_type(call))
            self.tensors[id(call.made[0][0])] = Tensor(value)
        elif not self._by_table(call):
            self._without_row(call, depth)

    def _by_table(self, call: Call) -> bool:
        rule = row(call.func)
        if rule is None:
            return False
        rule_for = self.rule(call)

        def compute() -> Sequence[Node | None]:
            nodes = rule(rule_for, *map(self._operand, call.args))
            return nodes if isinstance(nodes, tuple | list) else (nodes,)

        self._bind(call, compute)
        return True

    def rule(self, call: Call) -> Rule:
        types = tuple(type_of(dtype, shape) for _, dtype, shape in call.made)
        return Rule(self.b, types, call.args)

    def _bind(self, call: Call, compute: Callable[[], Sequence[Node | None]]) -> None:
        nodes = compute()
        base = self.tensors.get(id(call.args[0])) if is_view(call.func) else None
        for index, (made, node) in enumerate(zip(call.made, nodes, strict=False)):
            tensor, dtype, shape = made
            if node is None or id(tensor) in self.tensors:
                continue
            expected = type_of(dtype, shape)
            if node.type != expected:
                raise Unsupported(f"{call.func} gives {expected}, its rule gives {node.type}")
            again = (lambda i=index: compute()[i]) if base else None
            self.tensors[id(tensor)] = Tensor(node, base, call, again)

    def _operand(self, arg: Any) -> Any:
        if isinstance(arg, torch.Tensor):
            return self.read(arg)
        if isinstance(arg, tuple | list):
            return [self._operand(a) for a in arg]
        return arg

    # -- where there is no row

    def _without_row(self, call: Call, depth: int) -> None:
        steps = decomposed(call, self.mode, self.grad)
        if steps is None:
            self._bind(call, lambda: torch_library.call(self.rule(call), call.func, self._operand))
            return
        for step in steps.calls:
            self.call(step, depth + 1)
        for (tensor, _, _), result in zip(call.made, steps.results, strict=True):
            if result is not None:
                self.read(result)
                self.tensors[id(tensor)] = self.tensors[id(result)]

    # -- writes

    def _write(self, call: Call, targets: Sequence[torch.Tensor], depth: int) -> None:
        """An operation in place: its functional twin, then a write to what it names."""
        twin = torch_library.functional_twin(call.func)
        for target in targets:
            self.read(target)
        if torch.Tag.inplace_view in call.func.tags:
            raise CaptureError(
                f"{call.func} changes the shape of a tensor in place",
                remedy="use the operation's form without the underscore",
            )
        nodes = self._twin(call, twin, targets, depth)
        for target, node in zip(targets, nodes, strict=True):
            known = self.tensors[id(target)]
            like = known.node
            known.write(self.rule(call).like(node, like), self.b)
        for (tensor, _, _), target in zip(call.made, targets, strict=False):
            self.tensors.setdefault(id(tensor), self.tensors[id(target)])

    def _twin(
        self, call: Call, twin: Any, targets: Sequence[torch.Tensor], depth: int
    ) -> Sequence[Node]:
        rule = row(twin) if twin is not None else None
        if rule is None or len(targets) != 1:
            return torch_library.write_call(self.rule(call), call.func, targets, self._operand)
        node = rule(self.rule(call), *map(self._operand, call.args))
        return [node[0] if isinstance(node, tuple | list) else node]


def row(func: Any) -> Callable[..., Any] | None:
    """The rule of an overload, or that of all overloads of its operation."""
    if func.namespace != "aten":
        return None
    name = func._schema.name.removeprefix("aten::")
    overload = func._schema.overload_name
    return TABLE.get(f"{name}.{overload}") or TABLE.get(name)


def _is_constant(call: Call) -> bool:
    """`torch.tensor(2.0)` inside a program."""
    arg = call.args[0] if call.args else None
    return (
        str(call.func) == "aten.lift_fresh.default"
        and isinstance(arg, torch.Tensor)
        and arg.ndim == 0
    )


def _scalar_type(call: Call) -> tuple[Any, tuple[int, ...]]:
    type_ = type_of(*call.made[0][1:])
    return type_.dtype, type_.shape
