"""JAX's control flow: `while`, `scan` and `cond` become operations with regions.

A region may not refer to values outside of it. The constants of a primitive's jaxprs and the arrays
that they close over are therefore further operands of the operation, its invariants, and region
arguments; numbers are written into the region.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from compiler_core.capture.jax.symbols import dim_of
from compiler_core.capture.jax.traced import Traced
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.library import callee_of
from compiler_core.ir.ops import OPS
from compiler_core.ir.types import TensorType


class Lowering(Protocol):
    """The part of jax/lower.py's Lowering that rules for control flow use."""

    b: Builder
    constants: dict[int, Traced]

    def constant(self, array: Any, aval: Any) -> Traced: ...
    def node(self, value: Traced, aval: Any) -> Value: ...
    def run(
        self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Traced], depth: int
    ) -> list[Traced]: ...
    def line(self, text: str, depth: int, number: int | None = None) -> None: ...


@dataclass
class Site:
    """One control-flow equation while it is lowered; `number` is the id of its captured
    operation."""

    lowering: Lowering
    eqn: Any
    number: int
    depth: int
    # The invariants: further operands of the operation, and the last arguments of its regions.
    rest: list[Value] = field(default_factory=list)
    arguments: int = 0

    @property
    def b(self) -> Builder:
        return self.lowering.b

    def values(self, args: Sequence[Traced], atoms: Sequence[Any]) -> list[Value]:
        """The IR values of operands of the equation; numbers become constants of their types."""
        return [self.lowering.node(a, x.aval) for a, x in zip(args, atoms, strict=True)]

    def invariants(self, args: Sequence[Traced]) -> list["Invariant"]:
        """Makes values from outside available in the regions, each as a further operand."""
        return [Invariant(a, None if a.node is None else self._place(a.node)) for a in args]

    def _place(self, value: Value) -> int:
        if value not in self.rest:
            self.rest.append(value)
        return self.rest.index(value)

    def closed(self, programs: Sequence[Any]) -> dict[int, "Invariant"]:
        """The arrays that the jaxprs close over, by identity, as invariants."""
        arrays = {id(x): (x, aval) for p in programs for x, aval in closed_over(p)}
        outer = [self.lowering.constant(x, aval) for x, aval in arrays.values()]
        return dict(zip(arrays, self.invariants(outer), strict=True))

    def region(
        self,
        name: str,
        own: Sequence[TensorType],
        closed: dict[int, "Invariant"],
        body: Callable[[list[Traced], "Inside"], Sequence[Value]],
    ) -> Region:
        """A region with arguments of the types `own`, then the invariants. `body` builds its
        results from the arguments of its own and the region's invariants."""

        def inside(*parameters: Value) -> Sequence[Value]:
            traced = [self._named(x) for x in parameters]
            head = ", ".join(
                f"%{t.name}: {x.type}" for t, x in zip(traced, parameters, strict=True)
            )
            self.lowering.line(f"{name}({head})", self.depth + 1, self.number)
            within = Inside(self, traced[len(own) :])
            before = self.lowering.constants
            self.lowering.constants = {k: within.get(v) for k, v in closed.items()}
            try:
                return body(traced[: len(own)], within)
            finally:
                self.lowering.constants = before

        return self.b.region(name, [*own, *(x.type for x in self.rest)], inside)

    def _named(self, parameter: Value) -> Traced:
        self.arguments += 1
        return Traced(parameter, f"{self.number}.{self.arguments - 1}")


@dataclass(frozen=True)
class Invariant:
    """A value from outside of the regions: a number (`place` None), or number `place` of the
    invariant operands."""

    outer: Traced
    place: int | None


@dataclass(frozen=True)
class Inside:
    """The lowering inside one region, whose last arguments `rest` are the invariants."""

    site: Site
    rest: Sequence[Traced]

    def get(self, x: Invariant) -> Traced:
        """The region's argument for an invariant, or the number that it is."""
        return x.outer if x.place is None else self.rest[x.place]

    def all(self, xs: Sequence[Invariant]) -> list[Traced]:
        return [self.get(x) for x in xs]

    def run(self, program: Any, args: Sequence[Traced]) -> list[Value]:
        """Lowers a closed jaxpr into the region and returns its results."""
        lowering, jaxpr, depth = self.site.lowering, program.jaxpr, self.site.depth + 2
        results = lowering.run(jaxpr, program.consts, args, depth)
        lowering.line(f"return {names(results)}", depth)
        return [lowering.node(r, v.aval) for r, v in zip(results, jaxpr.outvars, strict=True)]


def names(values: Sequence[Traced]) -> str:
    """The names of values in the jaxpr's text, separated by commas."""
    return ", ".join(x.name if x.node is None else f"%{x.name}" for x in values)


def closed_over(program: Any) -> Iterator[tuple[Any, Any]]:
    """(array, abstract value) of each constant of a closed jaxpr and of those nested in it."""
    yield from ((x, v.aval) for x, v in zip(program.consts, program.jaxpr.constvars, strict=True))
    for eqn in program.jaxpr.eqns:
        for inner in programs_of(eqn):
            yield from closed_over(inner)


def programs_of(eqn: Any) -> Iterator[Any]:
    """The closed jaxprs among an equation's parameters."""
    for value in eqn.params.values():
        several = value if isinstance(value, tuple | list) else (value,)
        yield from (x for x in several if hasattr(x, "jaxpr") and hasattr(x, "consts"))


# -- the primitives


def _while(site: Site, args: Sequence[Traced]) -> Sequence[Value]:
    p, atoms = site.eqn.params, site.eqn.invars
    cond, body = p["cond_jaxpr"], p["body_jaxpr"]
    first, second = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
    of_cond, of_body = site.invariants(args[:first]), site.invariants(args[first:second])
    carried = site.values(args[second:], atoms[second:])
    closed, own = site.closed([cond, body]), [x.type for x in carried]

    def proceed(mine: list[Traced], within: Inside) -> list[Value]:
        (some,) = within.run(cond, [*within.all(of_cond), *mine])
        return [site.b.reduce(some, "or", range(some.type.rank)) if some.type.rank else some]

    def step(mine: list[Traced], within: Inside) -> list[Value]:
        results = within.run(body, [*within.all(of_body), *mine])
        if not cond.out_avals[0].shape:
            return results
        # Of a batch, those whose own loop has ended stay as they are (vmap).
        (some,) = within.run(cond, [*within.all(of_cond), *mine])
        return [_where(site.b, some, x, t) for x, t in zip(results, mine, strict=True)]

    regions = [site.region("cond", own, closed, proceed), site.region("body", own, closed, step)]
    return site.b.operation("while", [*carried, *site.rest], regions, carried=len(carried))


def _where(b: Builder, predicate: Value, x: Value, old: Traced) -> Value:
    assert old.node is not None
    shape = x.type.shape
    predicates = b.broadcast_in_dim(predicate, shape, range(predicate.type.rank))
    return b.node("select", predicates, x, old.node)


def _parts_of_scan(params: Mapping[str, Any]) -> tuple[int, int]:
    """Where, among a scan's operands, those begin that are carried, and the rows. JAX says two
    numbers up to 0.10, and from 0.11 on the operands' structure: constants, carried, rows."""
    if "num_consts" in params:
        return params["num_consts"], params["num_consts"] + params["num_carry"]
    constants, carried, _ = map(len, params["ft_in"].unpack())
    return constants, constants + carried


def _scan(site: Site, args: Sequence[Traced]) -> Sequence[Value]:
    p, atoms, body = site.eqn.params, site.eqn.invars, site.eqn.params["jaxpr"]
    first, second = _parts_of_scan(p)
    consts = site.invariants(args[:first])
    carried = site.values(args[first:second], atoms[first:second])
    scanned = site.values(args[second:], atoms[second:])
    closed = site.closed([body])
    rows = [x.type.with_shape(x.type.shape[1:]) for x in scanned]
    region = site.region(
        "body", [*(x.type for x in carried), *rows], closed,
        lambda mine, within: within.run(body, [*within.all(consts), *mine]),
    )  # fmt: skip
    return site.b.operation(
        "scan", [*carried, *scanned, *site.rest], [region], length=dim_of(p["length"]),
        reverse=p["reverse"], carried=len(carried), scanned=len(scanned),
    )  # fmt: skip


def _cond(site: Site, args: Sequence[Traced]) -> Sequence[Value]:
    branches, atoms = site.eqn.params["branches"], site.eqn.invars
    (index,) = site.values(args[:1], atoms[:1])
    passed, closed = site.invariants(args[1:]), site.closed(branches)

    def branch(number: int, program: Any) -> Region:
        def body(_: list[Traced], within: Inside) -> list[Value]:
            return within.run(program, within.all(passed))

        return site.region(f"branch{number}", [], closed, body)

    regions = [branch(number, program) for number, program in enumerate(branches)]
    return site.b.operation("case", [index, *site.rest], regions)


TABLE: dict[str, Callable[[Site, Sequence[Traced]], Sequence[Value]]] = {
    "while": _while,
    "scan": _scan,
    "cond": _cond,
}


def not_lowered(results: Sequence[Value]) -> str | None:
    """The reason to leave a loop to JAX as one call, None to lower it: a body with a library call
    would leave generated code at every iteration."""
    if not results or OPS[results[0].op].regions != "loop":
        return None
    inside = (o for r in results[0].operation.regions for o in r.walk())
    calls = filter(None, map(callee_of, inside))
    return next((f"its body calls {callee}, {callee.reason}" for callee in calls), None)
