"""A function of a module as a Python function of JAX arrays.

Each operation is one jax.lax call, made from a frame that has the operation's own line and column
in the snippet's file: JAX's stack records, and with them every line map, then lead to the text.
"""

import ast
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from compiler_core.errors import SnippetError
from compiler_core.snippet.source import FILE
from compiler_core.snippet.stablehlo.module import Function, Module, Operation, Region
from compiler_core.snippet.stablehlo.private import register_exclusion
from compiler_core.snippet.stablehlo.rules import RULES

# JAX prints the innermost place of an equation: the text's own, not that of a rule.
register_exclusion(os.path.dirname(__file__) + os.sep)

Environment = dict[int, Any]


def callable_of(module: Module, function: Function) -> Callable[..., Any]:
    """The function as a callable that takes one JAX array for each argument and returns one array,
    or a tuple of them."""

    def call(*arguments: Any) -> Any:
        results = _Run(module).region(function.body, arguments, {})
        return results[0] if len(results) == 1 else tuple(results)

    call.__name__ = call.__qualname__ = function.name
    return call


class _Run:
    def __init__(self, module: Module) -> None:
        self._module = module

    def region(self, region: Region, arguments: Sequence[Any], outer: Environment) -> list[Any]:
        """The values that a block returns; it can use values of the enclosing scope."""
        values = {**outer, **dict(zip(region.arguments, arguments, strict=True))}
        for operation in region.operations:
            results = self._operation(operation, values)
            values.update(zip(operation.results, results, strict=True))
        return [values[v] for v in region.returned]

    def _operation(self, operation: Operation, values: Environment) -> Sequence[Any]:
        operands = [values[v] for v in operation.operands]
        if operation.name in ("func.call", "call"):
            callee = self._module.functions[operation.attributes["callee"]]
            return self.region(callee.body, operands, {})
        rule = RULES.get(operation.name)
        if rule is None:
            raise SnippetError(
                f"the operation {operation.name} is not compiled",
                line=operation.line,
                remedy="write it with other operations of StableHLO",
            )
        regions = [self._bound(region, values) for region in operation.regions]
        result = _at(operation.line, operation.column)(rule, operation, operands, regions)
        return result if isinstance(result, (tuple, list)) else (result,)

    def _bound(self, region: Region, values: Environment) -> Callable[..., list[Any]]:
        return lambda *arguments: self.region(region, arguments, values)


@cache
def _at(line: int, column: int) -> Callable[..., Any]:
    """Calls its first argument with the others, from a place in the snippet's file."""
    tree = ast.parse("lambda rule, *given: rule(*given)", mode="eval")
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
            node.col_offset, node.end_col_offset = column, column + 1  # type: ignore[attr-defined]
    call: Callable[..., Any] = eval(compile(tree, FILE, "eval"))
    return call
