"""Loops and branches in jax.lax."""

from collections.abc import Callable, Sequence

from jax import lax

from compiler_core.ir.control import Body, branch_of, parts
from compiler_core.ir.eval_jax.values import Array
from compiler_core.ir.graph import Operation

Bodies = Sequence[Body[Array]]


def _while(operation: Operation, bodies: Bodies, *operands: Array) -> Sequence[Array]:
    cond, body = bodies
    carried, rest = parts(operands, operation["carried"])
    results: Sequence[Array] = lax.while_loop(
        lambda xs: cond([*xs, *rest])[0], lambda xs: tuple(body([*xs, *rest])), tuple(carried)
    )
    return results


def _scan(operation: Operation, bodies: Bodies, *operands: Array) -> Sequence[Array]:
    count, (body,) = operation["carried"], bodies
    carried, scanned, rest = parts(operands, count, operation["scanned"])

    def step(values: Sequence[Array], rows: Sequence[Array]) -> tuple[Sequence[Array], ...]:
        results = tuple(body([*values, *rows, *rest]))
        return results[:count], results[count:]

    last, rows = lax.scan(
        step, tuple(carried), tuple(scanned), operation["length"], operation["reverse"]
    )
    return [*last, *rows]


def _case(operation: Operation, bodies: Bodies, *operands: Array) -> Sequence[Array]:
    index, *rest = operands
    count = len(bodies)
    known = lax.select((index >= 0) & (index < count), index, index * 0 + branch_of(-1, count))
    results: Sequence[Array] = lax.switch(
        known, [lambda xs, b=b: tuple(b(xs)) for b in bodies], rest
    )
    return results


def _call(operation: Operation, bodies: Bodies, *operands: Array) -> Sequence[Array]:
    return bodies[0](operands)


CONTROL: dict[str, Callable[..., Sequence[Array]]] = {
    "while": _while,
    "scan": _scan,
    "case": _case,
    "call": _call,
}
