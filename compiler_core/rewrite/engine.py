"""Applies a table of rules to a graph, operands first, until no rule matches; records each use.

A rule is data: a name, its law, and either a pattern with a template or a function from a node
to its replacement (for what patterns cannot say, such as attributes).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Graph, Node
from compiler_core.ir.text import node_text
from compiler_core.report import Rewrite
from compiler_core.rewrite.pattern import Pattern, instantiate, match

# A node is rewritten at most so often: rules that undo each other end instead of looping.
_MOST_PER_NODE = 16


@dataclass(frozen=True)
class Rule:
    """`law` is the sentence that a person reads: "x * 1 -> x". `apply` answers with the
    replacement, or None where the rule does not match."""

    name: str
    law: str
    apply: Callable[[Node, Builder], Node | None]
    # Why the rule is worth having, and whether it is exact.
    why: str = ""


def rule(
    name: str, law: str, before: Pattern, after: Pattern, why: str = "",
    when: Callable[[Node], bool] = lambda _: True,
) -> Rule:  # fmt: skip
    """A rule from a pattern and a template. `when` narrows the nodes it applies to."""

    def apply(node: Node, b: Builder) -> Node | None:
        bound = match(before, node) if when(node) else None
        return None if bound is None else instantiate(after, bound, node, b)

    return Rule(name, law, apply, why)


def rewrite(graph: Graph, rules: Sequence[Rule]) -> tuple[Graph, list[Rewrite]]:
    """The rewritten graph and what was done; `graph` itself where nothing matched."""
    return _Engine(graph, rules).run()


class _Engine:
    def __init__(self, graph: Graph, rules: Sequence[Rule]) -> None:
        self.graph, self.rules = graph, rules
        self.first_new = max((n.id for n in graph.nodes), default=-1) + 1
        self.builder = Builder(self.first_new)
        self.new: dict[Node, Node] = {}
        self.done: list[Rewrite] = []

    def run(self) -> tuple[Graph, list[Rewrite]]:
        for node in self.graph.nodes:
            self.new[node] = self._settle(self._carried(node))
        if not self.done:
            return self.graph, []
        outputs = [self.new[n] for n in self.graph.outputs]
        return Graph.of(self.graph.name, self.graph.inputs, outputs), self.done

    def _carried(self, node: Node) -> Node:
        """The node over its operands' replacements; itself where they are unchanged."""
        operands = tuple(self.new[x] for x in node.inputs)
        return node if operands == node.inputs else self.builder.like(node, operands)

    def _settle(self, node: Node) -> Node:
        for _ in range(_MOST_PER_NODE):
            replaced = self._once(node)
            if replaced is None:
                return node
            node = replaced
        return node

    def _once(self, node: Node) -> Node | None:
        for each in self.rules:
            with self.builder.origin(*_origins(node)):
                made = each.apply(node, self.builder)
            if made is not None and made is not node:
                if made.id >= self.first_new:
                    # The new value stands under the old one's name, so a diff shows this line
                    # and not every line that reads it.
                    made = replace(made, id=node.id)
                self._record(each, node, made)
                return made
        return None

    def _record(self, used: Rule, before: Node, after: Node) -> None:
        text = node_text(after) if after.op != "parameter" else str(after)
        self.done.append(
            Rewrite(used.name, used.law, node_text(before), text, list(before.origins))
        )


def _origins(node: Node) -> tuple[int, ...]:
    """What a replacement comes from: the node and the operands that the pattern took in."""
    return tuple(sorted({*node.origins}))
