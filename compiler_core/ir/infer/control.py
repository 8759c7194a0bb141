"""Types of control flow: regions must take the types of the operands and return those of the
results."""

from collections.abc import Iterable, Sequence

from compiler_core.ir.control import parts
from compiler_core.ir.graph import Region, Value
from compiler_core.ir.infer.rule import Attrs, SeveralRule, Types, check
from compiler_core.ir.types import BOOL, I32, TensorType


def _while(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    _count("while", regions, 2)
    cond, body = regions
    carried, _ = parts(operands, attrs["carried"])
    for region in regions:
        _takes("while", region, operands)
    _gives("while", cond, (TensorType(BOOL),))
    _gives("while", body, carried)
    return tuple(carried)


def _scan(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    _count("scan", regions, 1)
    (body,), length = regions, attrs["length"]
    carried, scanned, rest = parts(operands, attrs["carried"], attrs["scanned"])
    _takes("scan", body, (*carried, *(_row(x, length) for x in scanned), *rest))
    results, rows = parts(_types(body.outputs), len(carried))
    _same(f"scan carries {_text(carried)}, its body gives", results, carried)
    return (*carried, *(t.with_shape((length, *t.shape)) for t in rows))


def _row(x: TensorType, length: int) -> TensorType:
    """The type of one row of a scanned operand, as a step receives it."""
    check(x.rank > 0 and x.shape[0] == length, lambda: f"scan of {length} steps over {x}")
    return x.with_shape(x.shape[1:])


def _case(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    check(bool(regions), lambda: "case without branches")
    check(
        operands[:1] == (TensorType(I32),),
        lambda: f"case's index is {_text(operands[:1])}, not i32[]",
    )
    results = _types(regions[0].outputs)
    for region in regions:
        _takes("case", region, operands[1:])
        _gives("case", region, results)
    return results


def _call(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    _count("call", regions, 1)
    _takes("call", regions[0], operands)
    return _types(regions[0].outputs)


def _count(op: str, regions: tuple[Region, ...], count: int) -> None:
    check(len(regions) == count, lambda: f"{op} has {count} regions, not {len(regions)}")


def _takes(op: str, region: Region, given: Sequence[TensorType]) -> None:
    _same(f"{op} passes {_text(given)}, {region.name} takes", _types(region.inputs), given)


def _gives(op: str, region: Region, wanted: Sequence[TensorType]) -> None:
    _same(f"{op} needs {_text(wanted)}, {region.name} gives", _types(region.outputs), wanted)


def _same(what: str, found: Sequence[TensorType], wanted: Sequence[TensorType]) -> None:
    check(tuple(found) == tuple(wanted), lambda: f"{what} {_text(found)}")


def _types(values: Iterable[Value]) -> Types:
    return tuple(x.type for x in values)


def _text(types: Iterable[TensorType]) -> str:
    return f"({', '.join(map(str, types))})"


SEVERAL: dict[str, SeveralRule] = {"while": _while, "scan": _scan, "case": _case, "call": _call}
