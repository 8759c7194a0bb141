"""Applies a table of rules to a graph, operands first, until no rule matches; records each use.

A rule is data: a name, its law, and either a pattern with a template or a function from a node
to its replacement (for what patterns cannot say, such as attributes).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Generic

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import AnyRegion, Graph, Operation, Region, Value
from compiler_core.ir.text import node_text
from compiler_core.report import Rewrite
from compiler_core.rewrite.pattern import Op, Pattern, instantiate, match

# The most times that a node is rewritten, so that rules that undo each other end.
_MOST_PER_NODE = 16


@dataclass(frozen=True)
class Rule:
    """`law` is the rule as text: "x * 1 -> x". `apply` returns the replacement, or
    None if the rule does not match."""

    name: str
    law: str
    apply: Callable[[Value, Builder], Value | None]
    # Why the rule is worth having, and whether it is exact.
    why: str = ""
    # The operations that it may replace: it is tried at no other. () means any.
    roots: tuple[str, ...] = ()


def rule(
    name: str, law: str, before: Pattern, after: Pattern, why: str = "",
    when: Callable[[Value], bool] = lambda _: True,
) -> Rule:  # fmt: skip
    """A rule from a pattern and a template. `when` restricts the operations it applies to."""

    def apply(node: Value, b: Builder) -> Value | None:
        bound = match(before, node) if when(node) else None
        return None if bound is None else instantiate(after, bound, node, b)

    roots = (before.name,) if isinstance(before, Op) else ()
    return Rule(name, law, apply, why, roots)


Index = Callable[[str], tuple[Rule, ...]]


def by_root(rules: Sequence[Rule]) -> Index:
    """The rules that can match each operation, in the given order."""

    @cache
    def found(op: str) -> tuple[Rule, ...]:
        return tuple(r for r in rules if not r.roots or op in r.roots)

    return found


def rewrite(graph: Graph, rules: Sequence[Rule]) -> tuple[Graph, list[Rewrite]]:
    """The rewritten graph and the rewrites that were done; `graph` itself if nothing matched."""
    engine = _Engine(graph, by_root(rules))
    return engine.run(), engine.done


class _Engine(Generic[AnyRegion]):
    def __init__(self, region: AnyRegion, rules: Index, builder: Builder | None = None) -> None:
        self.region, self.rules = region, rules
        self.first_new = region.next_id
        # Ids are unique in the whole graph: the regions inside number with it.
        self.builder = builder or Builder(self.first_new)
        self.new: dict[Value, Value] = {x: x for x in region.inputs}
        self.done: list[Rewrite] = []

    def run(self) -> AnyRegion:
        for operation in self.region.operations:
            new_operation = self._rebased(operation)
            for old, new in zip(operation.results, new_operation.results, strict=True):
                self.new[old] = self._settle(new)
        if not self.done:
            return self.region
        outputs = [self.new[x] for x in self.region.outputs]
        return type(self.region).of(self.region.name, self.region.inputs, outputs)

    def _rebased(self, operation: Operation) -> Operation:
        """The operation over its operands' replacements, its regions rewritten; itself where
        nothing in it changed."""
        operands = tuple(self.new[x] for x in operation.operands)
        regions = tuple(self._inner(r) for r in operation.regions)
        if operands == operation.operands and regions == operation.regions:
            return operation
        return self.builder.like(operation, operands, regions)

    def _inner(self, region: Region) -> Region:
        engine = _Engine(region, self.rules, self.builder)
        result = engine.run()
        self.done += engine.done
        return result

    def _settle(self, node: Value) -> Value:
        for _ in range(_MOST_PER_NODE):
            replaced = self._once(node)
            if replaced is None:
                return node
            node = replaced
        return node

    def _once(self, node: Value) -> Value | None:
        for each in self.rules(node.op):
            with self.builder.origin(*node.origins):
                replacement = each.apply(node, self.builder)
            if replacement is not None and replacement is not node:
                single = len(node.operation.results) == len(replacement.operation.results) == 1
                if replacement.id >= self.first_new and single:
                    # The new value stands under the old one's name, so a diff shows this line
                    # and not every line that reads it.
                    replacement = replace(replacement.operation, id=node.id).result
                self._record(each, node, replacement)
                return replacement
        return None

    def _record(self, used: Rule, before: Value, after: Value) -> None:
        text = node_text(after) if after.op != "parameter" else str(after)
        self.done.append(
            Rewrite(used.name, used.law, node_text(before), text, list(before.origins))
        )
