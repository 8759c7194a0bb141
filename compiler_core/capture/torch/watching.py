"""The values that torch computes for every captured operation of a program.

Operations are counted under the same modes as when the program was traced. A run whose operations
differ from the captured ones, because Python took another branch, is abandoned.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

import torch

from compiler_core.capture.captured import Visit, Watch
from compiler_core.capture.torch.attention import AsMathematics
from compiler_core.capture.torch.float64 import InFloat64
from compiler_core.capture.torch.interpreter import Interpreter
from compiler_core.capture.torch.substitutes import Substituted
from compiler_core.capture.torch.text import op_name
from compiler_core.capture.torch.trace import is_operation, taken_apart
from compiler_core.errors import NoReference
from compiler_core.interop.complex_pairs import pack, unpack
from compiler_core.interop.private import TorchDispatchMode

_OTHER = "the program's operations are others than those captured"
# Operations that torch calls on results that are fake tensors, and not on real ones.
_OF_FAKES = frozenset({op_name(torch.ops.aten.detach.default)})


class Watching(TorchDispatchMode):
    """Calls `visit` with the results of each operation within the context; `ops` are the captured
    ones."""

    def __init__(self, ops: Sequence[str], visit: Visit) -> None:
        super().__init__()
        self._ops, self._visit, self._count = ops, visit, 0

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        result = taken_apart(self, func, args, kwargs)
        if result is not NotImplemented:
            return result
        result = func(*args, **kwargs)
        tensors = _tensors(result)
        if is_operation(func, tensors):
            self._visit(self._number(op_name(func)), tensors)
        return result

    def _number(self, op: str) -> int:
        """The id of the next captured operation, which must be `op`."""
        while self._count < len(self._ops):
            number, captured = self._count, self._ops[self._count]
            self._count += 1
            if captured == op:
                return number
            if captured not in _OF_FAKES:
                break
        raise RuntimeError(_OTHER)


@contextmanager
def watching(ops: Sequence[str], exact: bool, visit: Visit) -> Iterator[None]:
    """Within the context, torch's operations are watched; they compute in float64 if `exact`."""
    with ExitStack() as stack:
        stack.enter_context(AsMathematics())
        stack.enter_context(Substituted())
        if exact:
            stack.enter_context(InFloat64())
        stack.enter_context(Watching(ops, visit))
        yield


def _tensors(result: Any) -> list[Any]:
    values = result if isinstance(result, tuple | list) else (result,)
    return [pack(t.detach()) for t in values if isinstance(t, torch.Tensor)]


class _Interpreter(Interpreter):
    """Tells `visit` of each node that has a number."""

    def __init__(self, module: Any, numbers: Mapping[str, int], visit: Visit) -> None:
        super().__init__(module)
        self._numbers, self._visit = numbers, visit

    def run_node(self, n: Any) -> Any:
        result = super().run_node(n)
        number = self._numbers.get(n.name)
        if number is not None:
            self._visit(number, _tensors(result))
        return result


def watch_of(module: Any, numbers: Mapping[str, int]) -> Watch:
    """Watches a run of an FX graph of ATen operations; `numbers` are the ids of the captured ones,
    by node. Called, the watch raises NoReference where torch cannot run it so."""
    nodes = [node for node in module.graph.nodes if node.op == "placeholder"]

    def watch(flat: Sequence[Any], exact: bool, visit: Visit) -> None:
        args = list(_arguments(nodes, flat))
        try:
            with torch.no_grad(), ExitStack() as stack:
                if exact:
                    stack.enter_context(InFloat64())
                _Interpreter(module, numbers, visit).run(*args)
        except Exception as error:
            raise NoReference(error) from error

    return watch


def _arguments(nodes: Sequence[Any], flat: Sequence[Any]) -> Iterator[Any]:
    given = iter(flat)
    for node in nodes:
        value = node.meta.get("val")
        is_tensor = isinstance(value, torch.Tensor)
        yield unpack(next(given), value.dtype).clone() if is_tensor else value


def watched(
    run: Callable[[Sequence[Any], bool, AbstractContextManager[None]], object], ops: Sequence[str]
) -> Watch:
    """Watches a program with the operations `ops`, which `run` runs inside a context.
    Called, the watch raises NoReference where it cannot be run so, or runs other operations."""

    def watch(flat: Sequence[Any], exact: bool, visit: Visit) -> None:
        try:
            run(flat, exact, watching(ops, exact, visit))
        except Exception as error:
            raise NoReference(error) from error

    return watch
