"""Operations that stay torch's own kernels: labelled library calls, with the reason."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import torch

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch.private import NAMESPACES
from compiler_core.capture.torch.schema import called
from compiler_core.capture.torch.symbols import dim_of
from compiler_core.interop.complex_pairs import pack, unpack
from compiler_core.interop.private import pytree
from compiler_core.ir.graph import Value
from compiler_core.ir.library import Callee
from compiler_core.ir.sizes import hint
from compiler_core.ir.types import I64

# Reasons to leave operations to torch rather than express them by others.
_LEFT = {
    "_scaled_mm": "processors multiply 8-bit floats by instructions that the vendor's kernels use",
    "_grouped_mm": "how many rows each group has is known at the call alone",
}
_OWN = (
    "{} is an operator of the snippet's own, or of what it imports, and is called as it is; as a "
    "plain function of PyTorch's operations it would be compiled with what is around it"
)
# Operations that factorise the transpose of a contiguous matrix; those that solve with the factors
# were told which it is when the program was traced.
_FACTORISED = frozenset(("_linalg_det", "_linalg_slogdet", "_linalg_solve_ex"))
_Given: TypeAlias = torch.Tensor | torch.SymInt
_Read = Callable[[torch.Tensor], Value]


def call(rule: LoweringContext, func: Any, read: _Read) -> tuple[Value, ...]:
    """A library call of `func` with the values of its tensor arguments; other arguments are
    bound."""
    given: list[_Given] = []
    shape = _shape_of(rule.raw, given)
    forms = _forms(func, given)

    def run(*operands: torch.Tensor) -> Any:
        result = called(func, _fill(shape, _in_form(operands, forms)))
        return _only_tensors(result, len(rule.types))

    return _add(rule, func, run, _operands(rule, given, read), list(rule.types))


def write_call(
    rule: LoweringContext, func: Any, targets: Sequence[torch.Tensor], read: _Read
) -> tuple[Value, ...]:
    """A library call of an operation that writes to `targets`: it gets copies of them, whose values
    afterwards are its first results, followed by what else it returns."""
    given: list[_Given] = []
    shape = _shape_of(rule.raw, given)
    forms = _forms(func, given)
    where = [next(i for i, t in enumerate(given) if t is target) for target in targets]

    def run(*operands: torch.Tensor) -> Any:
        copies = list(_in_form(operands, forms))
        for index in where:
            copies[index] = copies[index].clone()
        returned = called(func, _fill(shape, iter(copies)))
        written = [copies[index] for index in where]
        results = tuple(pack(t) for t in (*written, *_others(returned, written)))[: len(rule.types)]
        return results[0] if len(results) == 1 else results

    return _add(rule, func, run, _operands(rule, given, read), list(rule.types))


def _operands(rule: LoweringContext, given: Sequence[_Given], read: _Read) -> list[Value]:
    """The values of what is given at each call; of a size a number, an i64 scalar."""
    return [
        rule.b.scalar(dim_of(x), I64) if isinstance(x, torch.SymInt) else read(x) for x in given
    ]


def _others(returned: Any, written: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors of a result that are none of those written to."""
    values = returned if isinstance(returned, tuple | list) else (returned,)
    tensors = (t for t in values if isinstance(t, torch.Tensor))
    return [t for t in tensors if not any(t is x for x in written)]


@dataclass(frozen=True)
class _Form:
    """How a call gets an operand: its type, and its dimensions from the outermost in memory to the
    innermost."""

    dtype: torch.dtype
    order: tuple[int, ...]

    def of(self, operand: torch.Tensor) -> torch.Tensor:
        value = unpack(operand.contiguous(), self.dtype)
        if list(self.order) == sorted(self.order):
            return value
        inverse = sorted(range(value.dim()), key=self.order.__getitem__)
        return value.permute(self.order).contiguous().permute(inverse)


class _Number:
    """How a call gets a size: as a number of Python's."""

    @staticmethod
    def of(operand: torch.Tensor) -> int:
        return int(operand)


def _forms(func: Any, given: Sequence[_Given]) -> list[_Form | _Number]:
    """Operands are row-major, as every value of a graph is: some kernels read them as if. Random
    numbers are drawn in the order of memory, so there it is the one that eager execution has."""
    order = _row_major
    if _draws_random_numbers(func):
        order = _order
    elif _name(func) in _FACTORISED:
        order = _contiguous_or_not
    return [_Number() if isinstance(x, torch.SymInt) else _Form(x.dtype, order(x)) for x in given]


def _row_major(tensor: torch.Tensor) -> tuple[int, ...]:
    return tuple(range(tensor.dim()))


def _contiguous_or_not(tensor: torch.Tensor) -> tuple[int, ...]:
    """Matrices column by column, where the tensor is not contiguous; a vector as it is."""
    order = _row_major(tensor)
    return order if tensor.is_contiguous() else (*order[:-2], *order[-2:][::-1])


def _order(tensor: torch.Tensor) -> tuple[int, ...]:
    """The dimensions of a dense tensor from the largest stride to the smallest. One that is not
    dense is drawn for as a row-major one (`torch.preserve_format`)."""
    sizes, strides = ([hint(dim_of(x)) for x in xs] for xs in (tensor.shape, tensor.stride()))
    order = sorted(range(tensor.dim()), key=lambda d: -strides[d])
    inner = 1
    for d in reversed(order):
        if sizes[d] != 1 and strides[d] != inner:
            return _row_major(tensor)
        inner *= sizes[d]
    return tuple(order)


def _in_form(operands: Sequence[torch.Tensor], forms: Sequence[_Form | _Number]) -> Iterator[Any]:
    for operand, form in zip(operands, forms, strict=True):
        yield form.of(operand)


def _add(
    rule: LoweringContext,
    func: Any,
    run: Callable[..., Any],
    operands: list[Value],
    types: list[Any],
) -> tuple[Value, ...]:
    random = _draws_random_numbers(func)
    given = pytree.tree_leaves(rule.raw)
    own = tuple(x for x in given if isinstance(x, torch.Generator))
    checks = not func._schema.returns
    callee = Callee(str(func), "torch", reason(func), run, random, own, checks)
    return rule.b.library_call(callee, operands, types)


def reason(func: Any) -> str:
    """Why the core does not lower `func`."""
    if _draws_random_numbers(func):
        return "draws random numbers"
    if func.namespace not in NAMESPACES:
        return _OWN.format(_name(func))
    return _LEFT.get(_name(func), f"there is no rule for {_name(func)}")


def _draws_random_numbers(func: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in func.tags


def _name(func: Any) -> str:
    name: str = func._schema.name.removeprefix("aten::")
    return name


class _Slot:
    """The place among an operation's arguments of what is given at each call."""


def _shape_of(value: Any, given: list[_Given]) -> Any:
    """`value` with a slot for each tensor, and for each size that is known at the call only, which
    go into `given`."""
    if isinstance(value, torch.Tensor | torch.SymInt):
        given.append(value)
        return _Slot
    if isinstance(value, tuple | list):
        return [_shape_of(v, given) for v in value]
    return value


def _fill(shape: Any, operands: Any) -> Any:
    if shape is _Slot:
        return next(operands)
    if isinstance(shape, list):
        return [_fill(s, operands) for s in shape]
    return shape


def _only_tensors(result: Any, count: int) -> Any:
    """The tensors of a result, `count` of them. Where the trace had one and the call has None, as
    for a workspace that only a gradient would read, an empty one stands in its place; and for that
    a call without results has been made."""
    if isinstance(result, torch.Tensor):
        return pack(result)
    result = (None,) if result is None else result
    if len(result) == count:
        result = [torch.empty(0) if t is None else t for t in result]
    tensors = tuple(pack(t) for t in result if isinstance(t, torch.Tensor))
    return tensors[0] if len(tensors) == 1 else tensors


@lru_cache(maxsize=1024)
def functional_twin(func: Any) -> Any | None:
    """The overload without a write: `add_` -> `add`, `add.out` -> `add.Tensor`; None if there is
    none."""
    name = func._schema.name.removeprefix("aten::")
    wanted = [(a.name, str(a.type)) for a in func._schema.arguments if not a.is_out]
    packet = getattr(torch.ops.aten, name.removesuffix("_"), None)
    for overload in packet.overloads() if packet is not None else ():
        twin = getattr(packet, overload)
        arguments = [(a.name, str(a.type)) for a in twin._schema.arguments]
        if not twin._schema.is_mutable and arguments == wanted:
            return twin
    return None
