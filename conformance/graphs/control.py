"""Steps with regions, whose bodies are random steps over the region's arguments."""

from collections.abc import Sequence

from compiler_core.ir.graph import Region, Value
from compiler_core.ir.sizes import Dim
from compiler_core.ir.types import I32, TensorType
from conformance.graphs.arrays import below
from conformance.graphs.exactness import Array
from conformance.graphs.growing import Growing, Known, Unfit
from conformance.graphs.table import NUMBERS, Step

_LONGEST = 3
_TRIES = 8


def _operands(g: Growing, most: int) -> list[Known]:
    """One value or more; the first is of few elements."""

    def make() -> TensorType:
        shape = tuple(g.rng.choice(g.dims) for _ in range(2))
        return TensorType(g.rng.choice(NUMBERS), shape[: g.rng.randint(0, 2)])

    return [g.operand(lambda t: True, make) for _ in range(g.rng.randint(1, most))]


def _body(
    g: Growing, name: str, types: Sequence[TensorType], given: Sequence[tuple[Array, ...]],
    wanted: Sequence[TensorType], more: int = 0,
) -> Region:  # fmt: skip
    """A region whose results have the types `wanted`, followed by `more` of any type."""

    def results(*arguments: Value) -> list[Value]:
        inner = g.within(arguments, given)
        _grow(inner)
        found = [_of_type(inner, t) for t in wanted]
        return [x.value for x in (*found, *(inner.pool[-1 - i] for i in range(more)))]

    return g.builder.region(name, types, results)


def _grow(g: Growing) -> None:
    from conformance.graphs.programs import STEPS

    steps = 0
    for _ in range(_TRIES):
        if steps == _LONGEST or (steps and g.chance(0.3)):
            return
        try:
            STEPS[g.rng.choice(_WITHIN)](g)
            steps += 1
        except Unfit:
            continue


_WITHIN = (
    "add", "subtract", "multiply", "maximum", "negate", "tanh", "logistic", "select", "compare",
    "convert", "reduce", "cumulative", "reverse", "transpose", "slice", "reshape", "gather",
    "dynamic_slice", "dot_general", "sort", "concatenate", "broadcast_in_dim", "case", "constant",
    "dynamic_update_slice", "scatter", "pad",
)  # fmt: skip


def _of_type(g: Growing, type_: TensorType) -> Known:
    """The newest value of a type; there always is the argument of it."""
    return next(k for k in reversed(g.pool) if k.type == type_)


def _while(g: Growing) -> Known:
    """A counter to a limit, and what is carried beside it."""
    carried = [k for k in _operands(g, 2) if k.type.dtype.kind != "bool"]
    rest = _operands(g, 1) if g.chance(0.5) else []
    limit = g.rng.randint(0, 3)
    counter = g.add("constant", type=TensorType(I32), value=0)[0]
    every = [counter, *carried, *rest]
    types, given = [k.type for k in every], [k.arrays for k in every]
    b = g.builder

    def goes_on(i: Value, *others: Value) -> list[Value]:
        return [b.compare(i, b.scalar(limit, I32), "LT")]

    def step(*arguments: Value) -> list[Value]:
        inner = g.within(arguments, given)
        _grow(inner)
        values = [_of_type(inner, k.type).value for k in carried]
        return [b.node("add", arguments[0], b.scalar(1, I32)), *values]

    regions = [b.region("cond", types, goes_on), b.region("body", types, step)]
    results = g.add("while", *every, regions=regions, carried=1 + len(carried))
    return results[-1]


def _scan(g: Growing) -> Known:
    """Rows of the scanned values, one after the other."""
    lengths: list[Dim] = [0, 1, 2, 3, 5, *(d for d in g.dims if not isinstance(d, int))]
    length = g.rng.choice(lengths)
    carried, rest = _operands(g, 2), _operands(g, 1) if g.chance(0.3) else []
    scanned = [_rows(g, length) for _ in range(g.rng.randint(0, 2))]
    row_types = [k.type.with_shape(k.shape[1:]) for k in scanned]
    types = [*(k.type for k in carried), *row_types, *(k.type for k in rest)]
    given = [*(k.arrays for k in carried), *(_first_rows(k, length) for k in scanned),
             *(k.arrays for k in rest)]  # fmt: skip
    body = _body(g, "body", types, given, [k.type for k in carried], more=g.rng.randint(0, 1))
    results = g.add(
        "scan", *carried, *scanned, *rest, regions=[body], length=length,
        reverse=g.chance(0.3), carried=len(carried), scanned=len(scanned),
    )  # fmt: skip
    return g.rng.choice(results[::-1])


def _rows(g: Growing, length: Dim) -> Known:
    def fits(t: TensorType) -> bool:
        return t.rank >= 1 and t.shape[0] == length

    def make() -> TensorType:
        return TensorType(g.rng.choice(NUMBERS), (length, g.rng.choice((1, 2, 4))))

    return g.operand(fits, make)


def _first_rows(k: Known, length: Dim) -> tuple[Array, ...]:
    if length == 0:
        raise Unfit("no row to try a body with")
    return tuple(x[0] for x in k.arrays)


def _case(g: Growing) -> Known:
    count = g.rng.randint(1, 3)
    scalar = TensorType(I32)
    if g.inputs is None:
        index = g.pick(lambda t: t == scalar) or g.leaf(scalar)
    else:
        index = (
            g.operand(lambda t: t == scalar, lambda: scalar)
            if g.chance(0.5)
            else g.leaf(scalar, below(count, beyond=True))
        )
    operands = _operands(g, 3)
    types, given = [k.type for k in operands], [k.arrays for k in operands]
    wanted = [g.rng.choice(types)]
    regions = [_body(g, f"branch{i}", types, given, wanted) for i in range(count)]
    return g.add("case", index, *operands, regions=regions)[0]


def _call(g: Growing) -> Known:
    operands = _operands(g, 3)
    types, given = [k.type for k in operands], [k.arrays for k in operands]
    body = _body(g, "body", types, given, [g.rng.choice(types)], more=g.rng.randint(0, 1))
    return g.rng.choice(g.add("call", *operands, regions=[body]))


STEPS: dict[str, Step] = {"while": _while, "scan": _scan, "case": _case, "call": _call}
