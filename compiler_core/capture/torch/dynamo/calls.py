"""An FX graph of ATen operations as the calls that the lowering takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.capture.torch.trace import LIFTS, Call, Trace, bind
from compiler_core.errors import Unsupported
from compiler_core.ir.sizes import Undecided
from compiler_core.snippet.source import Place


@dataclass(frozen=True)
class Traced:
    """`inputs` and `outputs` are as the graph has them: fake tensors, and what is none. `names` are
    those of the calls' nodes in the FX graph."""

    trace: Trace
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    names: tuple[str, ...]


def calls_of(module: Any, entry: Place | None) -> Traced:
    """The calls of a functional FX graph, in order; `entry` is the place of what names none.

    Raises Unsupported for a graph with operations of Dynamo's own.
    """
    reader = _Reader(module, entry)
    for node in module.graph.nodes:
        reader.read(node)
    return Traced(reader.trace, tuple(reader.inputs), tuple(reader.outputs), tuple(reader.names))


class _Reader:
    """`values` maps each node to what it stands for."""

    def __init__(self, module: Any, entry: Place | None) -> None:
        self.module, self.entry = module, entry
        self.trace = Trace(_mode(module))
        self.values: dict[Any, Any] = {}
        self.inputs: list[Any] = []
        self.outputs: Sequence[Any] = ()
        self.names: list[str] = []
        # Lowering knows tensors by identity: two nodes may not share one.
        self._seen: set[int] = set()

    def read(self, node: Any) -> None:
        match node.op:
            case "placeholder":
                self.values[node] = self._own(node.meta.get("val"))
                self.inputs.append(self.values[node])
            case "get_attr":
                self.values[node] = self._constant(node)
            case "call_function":
                self.values[node] = self._call(node)
            case "output":
                self.outputs = self._filled(node.args[0])
            case other:
                raise Unsupported(f"{other} {node.target} in a graph of TorchDynamo's")

    def _own(self, value: Any) -> Any:
        """`value`, in fake tensors of its own."""
        if isinstance(value, tuple | list):
            return type(value)(map(self._own, value))
        if isinstance(value, torch.SymFloat | torch.SymBool):
            raise Undecided("a number of this graph is known only at the call")
        if isinstance(value, torch.Tensor):
            if id(value) in self._seen:
                with self.trace.mode:
                    value = torch.empty_like(value)
            self._seen.add(id(value))
        return value

    def _constant(self, node: Any) -> Any:
        value = self.module
        for name in str(node.target).split("."):
            value = getattr(value, name)
        if not isinstance(value, torch.Tensor):
            raise Unsupported(f"{type(value).__name__} {node.target} in a graph of TorchDynamo's")
        return self.trace.fake(value)

    def _call(self, node: Any) -> Any:
        func = node.target
        value = node.meta.get("val")
        if isinstance(value, torch.SymInt):
            return value  # a size made of sizes: torch has computed the expression
        if isinstance(value, torch.SymFloat | torch.SymBool):
            raise Undecided(f"{node.target} of a size is a number that is known only at the call")
        if getattr(func, "__name__", "") == "getitem":
            parent, index = self._filled(node.args)
            return parent[index]
        if not isinstance(func, torch._ops.OpOverload):
            raise Unsupported(f"{func} of TorchDynamo is not compiled")
        args, kwargs = self._filled(node.args), self._filled(dict(node.kwargs))
        result = self._own(node.meta.get("val"))
        if func in LIFTS:
            args = [self.trace.real.get(id(args[0]), args[0])]
        tensors = _result_tensors(result)
        if tensors and func.namespace != "prim":
            place = place_of(node.meta.get("stack_trace")) or self.entry
            self.trace.calls.append(Call(func, bind(func, tuple(args), kwargs), tensors, place))
            self.names.append(node.name)
        return result

    def _filled(self, arg: Any) -> Any:
        """`arg` with the values of the nodes in it."""
        if isinstance(arg, torch.fx.Node):
            return self.values[arg]
        if isinstance(arg, tuple | list):
            return [self._filled(a) for a in arg]
        if isinstance(arg, dict):
            return {name: self._filled(a) for name, a in arg.items()}
        return arg


def _result_tensors(result: Any) -> tuple[tuple[torch.Tensor, torch.dtype, tuple[int, ...]], ...]:
    values = result if isinstance(result, tuple | list) else (result,)
    return tuple((t, t.dtype, tuple(t.shape)) for t in values if isinstance(t, torch.Tensor))


def _mode(module: Any) -> FakeTensorMode:
    """The one that the graph's fake tensors are of."""
    for node in module.graph.nodes:
        mode = getattr(node.meta.get("val"), "fake_mode", None)
        if mode is not None:
            return mode
    return FakeTensorMode(allow_non_fake_inputs=True)
