"""Loops and branches in StableHLO.

StableHLO's regions may use outer values, so an invariant is simply the operand. It has no scan: a
scan is printed as a while loop with a counter that reads a row of each scanned operand and writes a
row of each stacked result.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from compiler_core.ir.control import parts
from compiler_core.ir.graph import Operation, Region, Value
from compiler_core.ir.stablehlo.generic import array, use
from compiler_core.ir.stablehlo.mlir_text import dense, type_text
from compiler_core.ir.types import BOOL, I32, TensorType

Line = tuple[str, tuple[int, ...]]
Render = Callable[[Operation], Iterator[Line]]
_NAME = re.compile(r"%\d+(#\d+)?")
_COUNTER, _FLAG = TensorType(I32), TensorType(BOOL)


@dataclass(frozen=True)
class Body:
    """A region's operations as text, with some of its arguments renamed."""

    region: Region
    names: dict[str, str]
    render: Render

    def lines(self) -> Iterator[Line]:
        """The region's operations as text, indented, each line with its origins."""
        for operation in self.region.operations:
            for text, origins in self.render(operation):
                yield f"  {self._named(text)}", origins

    def _named(self, text: str) -> str:
        return _NAME.sub(lambda m: self.names.get(m[0], m[0]), text)

    @property
    def results(self) -> list[str]:
        """The names of the region's results."""
        return [self._named(use(x)) for x in self.region.outputs]


def _body(region: Region, given: Sequence[Value], render: Render, first: int = 0) -> Body:
    """The region with its arguments from `first` on replaced by the operands `given`."""
    pairs = zip(region.inputs[first:], given, strict=True)
    return Body(region, {str(x): use(g) for x, g in pairs}, render)


def _signature(given: Sequence[TensorType], results: Sequence[TensorType]) -> str:
    return f"({', '.join(map(type_text, given))}) -> ({', '.join(map(type_text, results))})"


def _return(names: Sequence[str], types: Sequence[TensorType]) -> Line:
    return f'  "stablehlo.return"({", ".join(names)}) : {_signature(types, ())}', ()


def _types(values: Sequence[Value]) -> list[TensorType]:
    return [x.type for x in values]


def _while(operation: Operation, render: Render) -> Iterator[Line]:
    carried, rest = parts(operation.operands, operation["carried"])
    origins, types = operation.origins, _types(carried)
    operands = ", ".join(map(use, carried))
    yield f'{_results(operation, len(types))} = "stablehlo.while"({operands}) ({{', origins
    for region in operation.regions:
        if region is not operation.regions[0]:
            yield "}, {", origins
        arguments = region.inputs[: len(carried)]
        yield f"^bb0({', '.join(f'{x}: {type_text(x.type)}' for x in arguments)}):", origins
        body = _body(region, rest, render, len(carried))
        yield from body.lines()
        yield _return(body.results, _types(region.outputs))
    yield f"}}) : {_signature(types, types)}", origins


def _results(operation: Operation, count: int) -> str:
    return f"%{operation.id}{f':{count}' if count > 1 else ''}"


def _case(operation: Operation, render: Render) -> Iterator[Line]:
    index, *rest = operation.operands
    origins = operation.origins
    head = _results(operation, len(operation.types))
    yield f'{head} = "stablehlo.case"({use(index)}) ({{', origins
    for number, region in enumerate(operation.regions):
        if number:
            yield "}, {", origins
        body = _body(region, rest, render)
        yield from body.lines()
        yield _return(body.results, operation.types)
    yield f"}}) : {_signature([index.type], operation.types)}", origins


# -- scan


def _scan(operation: Operation, render: Render) -> Iterator[Line]:
    return _Scan(operation, render).lines() if operation["length"] else _no_steps(operation)


def _no_steps(operation: Operation) -> Iterator[Line]:
    """A scan of no steps: the carried values and empty results; a loop would read a row that does
    not exist."""
    carried, _ = parts(operation.operands, operation["carried"])
    empty = operation.types[len(carried) :]
    rows = [f"%rows{operation.id}_{k}" for k in range(len(empty))]
    for name, type_ in zip(rows, empty, strict=True):
        yield _constant(name, 0, type_), operation.origins
    head, given = _results(operation, len(operation.types)), ", ".join([*map(use, carried), *rows])
    signature = _signature(operation.types, operation.types)
    yield f'{head} = "stablehlo.optimization_barrier"({given}) : {signature}', operation.origins


class _Scan:
    """Names end with the operation's number: %at7 is the row index of the current step of %7.
    The counter is the last carried value, so that the first results of the while are those of
    the scan."""

    def __init__(self, operation: Operation, render: Render) -> None:
        self.operation, self.n = operation, operation.id
        counts = operation["carried"], operation["scanned"]
        self.carried, self.scanned, rest = parts(operation.operands, *counts)
        self.body = _body(operation.regions[0], rest, render, sum(counts))
        self.types = [*operation.types, _COUNTER]
        self.stacked = list(enumerate(operation.types[len(self.carried) :]))

    def lines(self) -> Iterator[Line]:
        for each in (self._before(), self._condition()):
            yield from ((text, self.operation.origins) for text in each)
        yield from self._step()
        yield f"}}) : {_signature(self.types, self.types)}", self.operation.origins

    def _before(self) -> Iterator[str]:
        """The initial values of the loop."""
        n = self.n
        for k, type_ in self.stacked:
            yield _constant(f"%rows{n}_{k}", 0, type_)
        yield _constant(f"%first{n}", 0, _COUNTER)
        yield _constant(f"%length{n}", self.operation["length"], _COUNTER)
        yield _constant(f"%one{n}", 1, _COUNTER)
        given = [*map(use, self.carried), *(f"%rows{n}_{k}" for k, _ in self.stacked), f"%first{n}"]
        head = _results(self.operation, len(self.types))
        yield f'{head} = "stablehlo.while"({", ".join(given)}) ({{'

    def _condition(self) -> Iterator[str]:
        n, both = self.n, [_COUNTER, _COUNTER]
        yield _block([f"%old{n}_{k}" for k in range(len(self.types))], self.types)
        yield (
            f'  %more{n} = "stablehlo.compare"(%old{n}_{len(self.types) - 1}, %length{n}) '
            f"<{{comparison_direction = #stablehlo<comparison_direction LT>, "
            f"compare_type = #stablehlo<comparison_type SIGNED>}}> : {_single(both, _FLAG)}"
        )
        yield _return([f"%more{n}"], [_FLAG])[0]
        yield "}, {"

    def _step(self) -> Iterator[Line]:
        n, origins = self.n, self.operation.origins
        values = [str(x) for x in self.body.region.inputs[: len(self.carried)]]
        rows = [f"%row{n}_{k}" for k, _ in self.stacked]
        yield _block([*values, *rows, f"%step{n}"], self.types), origins
        yield from ((f"  {text}", origins) for text in self._read())
        yield from self.body.lines()
        last, row_values = parts(self.body.results, len(self.carried))
        yield from ((f"  {text}", origins) for text in self._write(row_values))
        written = [f"%written{n}_{k}" for k, _ in self.stacked]
        yield _return([*last, *written, f"%next{n}"], self.types)

    def _read(self) -> Iterator[str]:
        """The row index %at of the step, and the scanned operands' rows."""
        n, two = self.n, _single([_COUNTER, _COUNTER], _COUNTER)
        yield _constant(f"%zero{n}", 0, _COUNTER)
        if self.operation["reverse"]:
            yield f'%left{n} = "stablehlo.subtract"(%length{n}, %step{n}) : {two}'
            yield f'%at{n} = "stablehlo.subtract"(%left{n}, %one{n}) : {two}'
        else:
            yield f'%at{n} = "stablehlo.add"(%step{n}, %zero{n}) : {two}'
        arguments = self.body.region.inputs[len(self.carried) :]
        for k, (x, argument) in enumerate(zip(self.scanned, arguments, strict=False)):
            one, given = _one(x.type), [x.type, *[_COUNTER] * x.type.rank]
            yield (
                f'%slice{n}_{k} = "stablehlo.dynamic_slice"({use(x)}, {self._starts(x.type)}) '
                f"<{{slice_sizes = {array(one.sizes)}}}> : {_single(given, one)}"
            )
            reshaped = _single([one], argument.type)
            yield f'{argument} = "stablehlo.reshape"(%slice{n}_{k}) : {reshaped}'

    def _write(self, rows: Sequence[str]) -> Iterator[str]:
        """Writes the rows that the step returns, and increments the counter."""
        n = self.n
        for (k, type_), row in zip(self.stacked, rows, strict=True):
            one, given = _one(type_), [type_, _one(type_), *[_COUNTER] * type_.rank]
            own = type_.with_shape(type_.shape[1:])
            yield f'%new{n}_{k} = "stablehlo.reshape"({row}) : {_single([own], one)}'
            yield (
                f'%written{n}_{k} = "stablehlo.dynamic_update_slice"'
                f"(%row{n}_{k}, %new{n}_{k}, {self._starts(type_)}) : {_single(given, type_)}"
            )
        two = _single([_COUNTER, _COUNTER], _COUNTER)
        yield f'%next{n} = "stablehlo.add"(%step{n}, %one{n}) : {two}'

    def _starts(self, whole: TensorType) -> str:
        return ", ".join([f"%at{self.n}", *[f"%zero{self.n}"] * (whole.rank - 1)])


def _one(whole: TensorType) -> TensorType:
    """The type of one row, as a slice of size 1."""
    return whole.with_shape((1, *whole.shape[1:]))


def _constant(name: str, value: int, type_: TensorType) -> str:
    text = dense(value, type_) if type_.numel else f"dense<> : {type_text(type_)}"
    return f'{name} = "stablehlo.constant"() <{{value = {text}}}> : () -> {type_text(type_)}'


def _block(names: Sequence[str], types: Sequence[TensorType]) -> str:
    pairs = zip(names, types, strict=True)
    return f"^bb0({', '.join(f'{x}: {type_text(t)}' for x, t in pairs)}):"


def _single(given: Sequence[TensorType], result: TensorType) -> str:
    return f"({', '.join(map(type_text, given))}) -> {type_text(result)}"


# -- call


def function_name(operation: Operation) -> str:
    """The name of the function that a call operation calls."""
    return f"{operation.regions[0].name}_{operation.id}"


def _call(operation: Operation, render: Render) -> Iterator[Line]:
    head = _results(operation, len(operation.types))
    operands = ", ".join(map(use, operation.operands))
    signature = _signature(_types(operation.operands), operation.types)
    callee = f"<{{callee = @{function_name(operation)}}}>"
    yield f'{head} = "func.call"({operands}) {callee} : {signature}', operation.origins


CONTROL: dict[str, Callable[[Operation, Render], Iterator[Line]]] = {
    "while": _while,
    "scan": _scan,
    "case": _case,
    "call": _call,
}
