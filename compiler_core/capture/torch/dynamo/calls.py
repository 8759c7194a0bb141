"""An FX graph of ATen operations as the calls that the lowering takes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional

import torch

from compiler_core.capture.torch import control
from compiler_core.capture.torch.dynamo.places import place_of
from compiler_core.capture.torch.memory import BY_MEMORY, memory_of
from compiler_core.capture.torch.scopes import scope_of
from compiler_core.capture.torch.symbols import depends_on_values, is_number
from compiler_core.capture.torch.text import in_words
from compiler_core.capture.torch.trace import (
    LIFTS,
    Call,
    Trace,
    TracedRegion,
    bind,
    is_operation,
)
from compiler_core.errors import REPORT_IT, FuselabError, Unsupported
from compiler_core.interop.private import FakeTensorMode, HigherOrderOperator, OpOverload
from compiler_core.ir.sizes import Undecided
from compiler_core.snippet.source import Place

# Operations without results that raise, in whichever order they are called.
_CHECKS = frozenset({torch.ops.aten._linalg_check_errors.default})


@dataclass(frozen=True)
class Traced:
    """The calls of an FX graph. `inputs` and `outputs` are those of the graph: fake tensors,
    symbolic sizes, numbers, None. `values` has what each node stands for; `names[i]` is the name of
    the node of call i."""

    trace: Trace
    inputs: tuple[Any, ...]
    outputs: tuple[Any, ...]
    names: tuple[str, ...]
    values: Mapping[Any, Any]


def calls_of(module: Any, entry: Place | None) -> Traced:
    """The ATen calls of a functional FX graph, in order. A call whose node has no stack is placed
    at `entry`.

    Raises Unsupported for a graph with operations that are Dynamo's own and no ATen operation.
    """
    reader = _Reader(module, entry)
    reader.read_all()
    inputs, outputs, names = map(tuple, (reader.inputs, reader.outputs, reader.names))
    return Traced(reader.trace, inputs, outputs, names, reader.values)


class _Reader:
    """`values` maps each node to what it stands for."""

    def __init__(
        self, module: Any, entry: Place | None, around: Optional["_Reader"] = None
    ) -> None:
        self.module, self.entry, self.around = module, entry, around
        self.trace: Trace = Trace(_mode(module)) if around is None else around.trace
        # A function's own calls are apart from those around it.
        self.calls: list[Call] = self.trace.calls if around is None else []
        self.values: dict[Any, Any] = {}
        self.inputs: list[Any] = []
        self.outputs: Sequence[Any] = ()
        self.names: list[str] = [] if around is None else around.names
        # Lowering knows tensors by identity: two nodes may not share one.
        self._seen: set[int] = set() if around is None else around._seen
        # The constants of a function, by the identity of the real tensors: it is given them.
        self._given: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def read_all(self) -> None:
        for node in self.module.graph.nodes:
            try:
                self._read(node)
            except FuselabError as error:
                place = self._place(node)
                error.line = error.line or (place[0] if place else None)
                raise

    def _place(self, node: Any) -> Place | None:
        return place_of(node.meta.get("stack_trace")) or self.entry

    def _read(self, node: Any) -> None:
        match node.op:
            case "placeholder":
                _independent_of_values(node.meta.get("val"), "an input of the graph")
                self.values[node] = self._own(node.meta.get("val"))
                self.inputs.append(self.values[node])
            case "get_attr":
                self.values[node] = self._constant(node)
            case "call_function":
                self.values[node] = self._call(node)
            case "output":
                self.outputs = self._filled(node.args[0])
            case other:
                raise Unsupported(
                    f"a graph of TorchDynamo's has a node of kind {other}", remedy=REPORT_IT
                )

    def _own(self, value: Any) -> Any:
        """`value`, in fake tensors of its own."""
        if isinstance(value, tuple | list):
            return type(value)(map(self._own, value))
        if isinstance(value, torch.SymFloat | torch.SymBool):
            raise Undecided("a number of this graph is known only at the call")
        if isinstance(value, torch.Tensor):
            if id(value) in self._seen:
                value = self._another(value)
            self._seen.add(id(value))
        return value

    def _another(self, tensor: torch.Tensor) -> torch.Tensor:
        with self.trace.mode:
            return torch.empty_like(tensor)

    def _constant(self, node: Any) -> Any:
        value = self.module
        for name in str(node.target).split("."):
            value = getattr(value, name)
        if isinstance(value, torch.fx.GraphModule):
            return value
        if isinstance(value, torch.Tensor) and not _is_number(value, node):
            return self._tensor(value)
        if not isinstance(value, torch.Tensor):
            raise Unsupported(
                f"a graph of TorchDynamo's holds an object of type {type(value).__name__}",
                remedy="give the program tensors and numbers, and make such an object within it",
            )
        return self.trace.fake(value)

    def _tensor(self, value: torch.Tensor) -> torch.Tensor:
        """A constant as the graph has it, or as a function is given it."""
        fake: torch.Tensor = self.trace.fake(value)
        if self.around is None:
            return fake
        return self._given.setdefault(id(value), (value, self._another(fake)))[1]

    def _call(self, node: Any) -> Any:
        func = node.target
        if func is torch.ops.higher_order.with_effects and node.args[1] in _CHECKS:
            return self._check(node)
        if isinstance(func, HigherOrderOperator):
            return self._with_functions(node)
        value = node.meta.get("val")
        _independent_of_values(value, f"what {in_words(func)} gives")
        if isinstance(value, torch.SymInt):
            return value  # a size made of sizes: torch has computed the expression
        if isinstance(value, torch.SymFloat | torch.SymBool):
            raise Undecided("a number made of a size, and none itself, is known only at the call")
        if getattr(func, "__name__", "") == "getitem":
            parent, index = self._filled(node.args)
            return parent[index]
        if not isinstance(func, OpOverload):
            raise Unsupported(f"{in_words(func)} is no operation of torch's", remedy=REPORT_IT)
        args, kwargs = self._filled(node.args), self._filled(dict(node.kwargs))
        result = self._own(node.meta.get("val"))
        if func in LIFTS:
            args = [self.trace.real.get(id(args[0]), args[0])]
        tensors = _result_tensors(result)
        if is_operation(func, tensors):
            bound, place = bind(func, tuple(args), kwargs), self._place(node)
            memory = memory_of(func, bound, self.calls) if func in BY_MEMORY else None
            scope = scope_of(node)
            self.calls.append(Call(func, bound, tensors, place, memory=memory, scope=scope))
            self.names.append(node.name)
        return result

    def _check(self, node: Any) -> Any:
        """A call that has no result, and may raise: the token that torch keeps such calls in order
        by is what it gives, so that it is made where the graph hands the token on."""
        _, func, *args = self._filled(node.args)
        result = self._own(node.meta["val"])
        bound = bind(func, tuple(args), self._filled(dict(node.kwargs)))
        self.calls.append(Call(func, bound, _result_tensors(result), self._place(node)))
        self.names.append(node.name)
        return result

    # -- operations that take functions

    def _with_functions(self, node: Any) -> Any:
        form = control.form_of(node.target)
        args = self._filled(node.args)
        modules = [a for a in args if isinstance(a, torch.fx.GraphModule)]
        others = [a for a in args if not isinstance(a, torch.fx.GraphModule)]
        operands = [list(_given(a, node.target)) for a in others]
        place = self._place(node)
        self.names.append(node.name)
        readers = [_Reader(m, place, self) for m in modules]
        for reader in readers:
            reader.read_all()
        shared = {i: real for r in readers for i, (real, _) in r._given.items()}
        operands[-1] += [self._tensor(real) for real in shared.values()]
        regions = tuple(
            reader.region(name, shared.values(), node.target)
            for name, reader in zip(form.functions, readers, strict=True)
        )
        result = self._own(node.meta.get("val"))
        _independent_of_values(result, f"what {in_words(node.target)} gives")
        arguments = tuple(map(tuple, operands))
        tensors, scope = _result_tensors(result), scope_of(node)
        self.calls.append(Call(node.target, arguments, tensors, place, regions, scope=scope))
        return result

    def region(self, name: str, constants: Iterable[torch.Tensor], func: Any) -> TracedRegion:
        """The function that was read; it is given its own inputs, then `constants`."""
        inputs = (*_given(self.inputs, func), *map(self._tensor, constants))
        return TracedRegion(name, inputs, tuple(self.calls), tuple(_tensors(self.outputs, func)))

    def _filled(self, arg: Any) -> Any:
        """`arg` with the values of the nodes in it."""
        if isinstance(arg, torch.fx.Node):
            return self.values[arg]
        if isinstance(arg, tuple | list):
            return [self._filled(a) for a in arg]
        if isinstance(arg, dict):
            return {name: self._filled(a) for name, a in arg.items()}
        return arg


def _independent_of_values(value: Any, what: str) -> None:
    """Raises Unsupported where a size is known only when the graph runs."""
    if any(map(depends_on_values, value if isinstance(value, tuple | list) else [value])):
        kind = "has a size" if isinstance(value, torch.Tensor) else "is a number"
        raise Unsupported(
            f"{what} {kind} that depends on the values of tensors",
            remedy="compute with a mask, torch.where for example, so that every size is known",
        )


def _is_number(value: torch.Tensor, node: Any) -> bool:
    """Whether a constant goes into the graph as the number that it is."""
    return value.ndim == 0 and all(user.target in LIFTS for user in node.users)


def _given(values: Any, func: Any) -> Iterator[torch.Tensor]:
    """What the operation `func` gives its functions, without sizes: a region knows those of all
    around it."""
    several = values if isinstance(values, tuple | list) else (values,)
    sizes = (x for x in several if isinstance(x, torch.SymInt) and not is_number(x))
    known = {id(x) for x in sizes}
    yield from _tensors([x for x in several if id(x) not in known], func)


def _tensors(values: Any, func: Any) -> Iterator[torch.Tensor]:
    """What the functions of the operation `func` return. Raises Unsupported for what is no
    tensor."""
    for value in values if isinstance(values, tuple | list) else (values,):
        if isinstance(value, torch.SymInt):
            raise Undecided(f"torch's {func.name()} has to do with a number of the call's")
        if not isinstance(value, torch.Tensor):
            raise Unsupported(
                f"torch's {func.name()} with {value!r:.40}, which is no tensor, is not captured",
                remedy="give its functions tensors, and let them return tensors",
            )
        yield value


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
