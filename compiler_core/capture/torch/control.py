"""torch's operations that take functions (torch.cond, while_loop, scan, map) as operations with
regions.

AOTAutograd has removed closures: all functions take the operation's operands, with those that no
step changes last, as regions do (ir/control.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.capture.torch.trace import Call, TracedRegion, size_of
from compiler_core.errors import Unsupported
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.types import BOOL, I32, TensorType


class Lowering(Protocol):
    """The part of lower.Lowering that control flow needs."""

    b: Builder

    def read(self, tensor: Any) -> Value: ...
    def region(
        self, region: TracedRegion, arguments: Sequence[Value], first: int
    ) -> list[Value]: ...


@dataclass(frozen=True)
class Form:
    """How an operation that takes functions is lowered: by `rule`. `functions` are the names of its
    functions, in the order of its arguments."""

    functions: tuple[str, ...]
    rule: Callable[["Site"], Sequence[Value]]


@dataclass(frozen=True)
class Site:
    """One call with functions while it is lowered; `number` is the id of its captured operation."""

    lowering: Lowering
    call: Call
    number: int
    # The operands of each kind.
    operands: tuple[tuple[Value, ...], ...]

    @property
    def b(self) -> Builder:
        return self.lowering.b

    def region(
        self,
        index: int,
        types: Sequence[TensorType],
        results: Callable[[Sequence[Value]], Sequence[Value]] = tuple,
    ) -> Region:
        """The operation's function number `index` as a region with arguments of `types`; `results`
        is applied to the values that it returns."""
        traced = self.call.regions[index]
        before = sum(size_of(c) for r in self.call.regions[:index] for c in r.calls)

        def body(*arguments: Value) -> Sequence[Value]:
            return results(self.lowering.region(traced, arguments, self.number + 1 + before))

        return self.b.region(traced.name, types, body)


def lower(lowering: Lowering, call: Call, number: int) -> Sequence[Value]:
    """The values of the call's results. `call.args` are its lists of operands."""
    operands = tuple(tuple(map(lowering.read, tensors)) for tensors in call.args)
    site = Site(lowering, call, number, operands)
    return FORMS[call.func.name()].rule(site)


def _types(values: Sequence[Value]) -> list[TensorType]:
    return [x.type for x in values]


def _truth(b: Builder, value: Value) -> Value:
    """A bool of one element without dimensions."""
    return LoweringContext(b, (value.type,)).cast(b.reshape(value, ()), BOOL)


def _cond(site: Site) -> Sequence[Value]:
    (predicate,), rest = site.operands
    index = site.b.convert(_truth(site.b, predicate), I32)
    # Branch 0 is what is not taken where the predicate holds.
    regions = [site.region(i, _types(rest)) for i in (1, 0)]
    return site.b.operation("case", [index, *rest], regions)


def _while(site: Site) -> Sequence[Value]:
    carried, rest = site.operands
    operands = (*carried, *rest)
    proceed = site.region(0, _types(operands), lambda r: [_truth(site.b, r[0])])
    body = site.region(1, _types(operands))
    return site.b.operation("while", operands, [proceed, body], carried=len(carried))


def _scan(site: Site) -> Sequence[Value]:
    return _over_rows(site, *site.operands)


def _map(site: Site) -> Sequence[Value]:
    """A scan that carries nothing."""
    return _over_rows(site, (), *site.operands)


def _over_rows(
    site: Site, carried: Sequence[Value], scanned: Sequence[Value], rest: Sequence[Value]
) -> Sequence[Value]:
    rows = [x.type.with_shape(x.type.shape[1:]) for x in scanned]
    body = site.region(0, [*_types(carried), *rows, *_types(rest)])
    return site.b.operation(
        "scan", [*carried, *scanned, *rest], [body], length=scanned[0].type.shape[0],
        reverse=False, carried=len(carried), scanned=len(scanned),
    )  # fmt: skip


FORMS = {
    "cond": Form(("true", "false"), _cond),
    "while_loop": Form(("cond", "body"), _while),
    "scan": Form(("body",), _scan),
    "map_impl": Form(("body",), _map),
}


def form_of(func: Any) -> Form:
    """How an operation that takes functions is lowered. Raises Unsupported, with its name and what
    to write instead."""
    form = FORMS.get(func.name())
    if form is None:
        raise Unsupported(
            f"torch's {func.name()}, an operation that takes functions, is not captured",
            remedy="write it as Python does, with if and for: a program may be several graphs",
        )
    return form
