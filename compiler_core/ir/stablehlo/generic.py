"""MLIR's generic form of one operation, and of its attributes."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from compiler_core.ir.graph import Operation, Value
from compiler_core.ir.stablehlo.mlir_text import dense, type_text

# Prints an operation with one result, or any other.
Rule = Callable[[Value], str]
SeveralRule = Callable[[Operation], str]


def use(node: Value) -> str:
    """A value as an operand. In MLIR the results of one operation are a numbered group: %3#1."""
    if len(node.operation.results) == 1:
        return str(node)
    return f"{node.operation.results[0]}#{node.index}"


def operation_text(
    node: Value, name: str, attributes: Mapping[str, str] = MappingProxyType({}), region: str = ""
) -> str:
    """The operation that defines `node`: `%2 = "name"(%0, %1) <{attributes}> region : (types) ->
    types`."""
    operation = node.operation
    several = len(operation.types) > 1
    operands = ", ".join(map(use, operation.operands))
    given = ", ".join(type_text(x.type) for x in operation.operands)
    results = ", ".join(map(type_text, operation.types))
    written = ", ".join(f"{k} = {v}" for k, v in attributes.items())
    return (
        f'{node}{f":{len(operation.types)}" if several else ""} = "{name}"({operands})'
        f"{f' <{{{written}}}>' if written else ''}{region}"
        f" : ({given}) -> {f'({results})' if several else results}"
    )


def short(text: str) -> str:
    """`text` with short names for values of regions (ids from 10^9): %r0, %r1, ...; and for values
    that legalize.py adds (from 2 * 10^9): %w0, ..."""
    return _BEYOND.sub(lambda m: f"%{'rw'[int(m[1]) - 1]}{int(m[2])}", text)


_BEYOND = re.compile(r"%([12])(\d{9})\b")


def array(values: Sequence[int]) -> str:
    """An integer array attribute: `array<i64: 1, 2>`."""
    return f"array<i64{': ' if values else ''}{', '.join(map(str, values))}>"


def named(name: str, **attributes: Rule) -> Rule:
    """A rule that prints StableHLO's operation `name` with attributes computed from the value."""

    def rule(node: Value) -> str:
        texts = {k: text(node) for k, text in attributes.items()}
        return operation_text(node, f"stablehlo.{name}", texts, "")

    return rule


def integers(attr: str) -> Rule:
    """An attribute that is a list of integers, as text."""
    return lambda node: array(node[attr])


def integer(attr: str) -> Rule:
    """An attribute that is an integer, as text."""
    return lambda node: f"{node[attr]} : i64"


def splat(node: Value, value: float | int | bool) -> str:
    """A constant of the value's type with every element `value`."""
    own = type_text(node.type)
    text = dense(value, node.type) if node.type.numel else f"dense<> : {own}"
    return f'{node} = "stablehlo.constant"() <{{value = {text}}}> : () -> {own}'
