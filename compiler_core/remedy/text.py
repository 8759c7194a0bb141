"""A snippet's text with its syntax tree, and edits of the text at nodes of the tree."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

# The offsets in characters at which the replaced text begins and ends, and the new text.
Edit = tuple[int, int, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef
# Expressions that need no parentheses as an operand.
_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


@dataclass(frozen=True)
class Text:
    """A snippet's text with its tree, of Text.parse. Lines are 1-based; offsets are in characters
    from the text's begin, 0-based."""

    text: str
    tree: ast.Module

    @classmethod
    def parse(cls, text: str) -> "Text":
        """Parses the text. Raises SyntaxError if it is not Python."""
        return cls(text, ast.parse(text))

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.splitlines(keepends=True)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self._lines:
            starts.append(starts[-1] + len(line))
        return starts

    @cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {c: node for node in ast.walk(self.tree) for c in ast.iter_child_nodes(node)}

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node that contains `node` directly."""
        return self._parents.get(node)

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes that contain `node`, innermost first."""
        while (node := self._parents.get(node)) is not None:  # type: ignore[assignment]
            yield node

    def function(self, node: ast.AST) -> Function | None:
        """The innermost function that contains `node`."""
        return next((a for a in self.above(node) if isinstance(a, Function)), None)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """The innermost statement that is `node` or contains it."""
        return next((n for n in (node, *self.above(node)) if isinstance(n, ast.stmt)), None)

    def following(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statements after one in the same block."""
        parent = self._parents[statement]
        blocks = (getattr(parent, field, None) for field in ("body", "orelse", "finalbody"))
        block = next((b for b in blocks if isinstance(b, list) and statement in b), [])
        return block[block.index(statement) + 1 :]

    def at(self, line: int | None) -> Iterator[ast.AST]:
        """The nodes that begin on a line, and calls of methods that are named there, outer ones
        first."""
        yield from (n for n in ast.walk(self.tree) if line is not None and line in _lines_of(n))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """The offsets at which the text of a node begins and ends."""
        at = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]
        begin, end = (self.offset(line, column) for line, column in at)
        return begin, end

    def offset(self, line: int, column: int) -> int:
        """The offset of a column, which the tree, as findings do, counts in bytes of UTF-8."""
        before = self._lines[line - 1].encode()[:column].decode(errors="ignore")
        return self._starts[line - 1] + len(before)

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        begin, end = self.span(node)
        return self.text[begin:end]

    def operand(self, node: ast.AST) -> str:
        """The text of an expression, in parentheses if it could not be an operand or be called as
        it is."""
        return self.of(node) if isinstance(node, _SIMPLE) else f"({self.of(node)})"

    def unwrapped(self, node: ast.AST, inner: ast.AST) -> list[Edit]:
        """The edits that replace an expression by another one within it, which other edits may
        change; it keeps its parentheses where it is an operand."""
        (begin, end), (low, high) = self.span(node), self.span(inner)
        opening, closing = ("", "") if isinstance(inner, _SIMPLE) else ("(", ")")
        return [(begin, low, opening), (high, end, closing)]

    def indent(self, statement: ast.stmt) -> str:
        """The text before a statement on its first line."""
        begin, _ = self.span(statement)
        line = self._lines[statement.lineno - 1]
        return line[: begin - self._starts[statement.lineno - 1]]

    def replace(self, node: ast.AST, text: str) -> Edit:
        """The edit that replaces a node by a text."""
        return (*self.span(node), text)

    def without(self, statement: ast.stmt) -> Edit:
        """The edit that removes a statement; it removes whole lines if nothing else is on them, and
        leaves `pass` otherwise."""
        begin, end = self.span(statement)
        first, after = self._starts[statement.lineno - 1], self._starts[statement.end_lineno or 0]
        alone = not (self.text[first:begin].strip() or self.text[end:after].strip())
        return (first, after, "") if alone else (begin, end, "pass")

    def edited(self, edits: Iterable[Edit]) -> str:
        """The text with the edits made, no two of which may overlap."""
        text = self.text
        for begin, end, new in sorted(edits, reverse=True):
            text = text[:begin] + new + text[end:]
        return text

    # -- names of modules

    @cached_property
    def modules(self) -> dict[str, str]:
        """The local name of each module or function that the snippet imports: {"jax.numpy":
        "jnp"}."""
        found: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found |= {a.name if a.asname else _root(a.name): a.asname or _root(a.name)
                          for a in node.names}  # fmt: skip
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {f"{node.module}.{a.name}": a.asname or a.name for a in node.names}
        return found

    def dotted(self, node: ast.AST) -> str:
        """The full name that an expression denotes according to the imports, "jax.numpy.sin"; "" if
        it denotes none."""
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        if isinstance(node, ast.Name):
            return next((real for real, own in self.modules.items() if own == node.id), "")
        return ""

    def named(self, module: str) -> tuple[str, list[Edit]]:
        """The local name of a module, and the edit that imports it if the snippet does not."""
        if module in self.modules:
            return self.modules[module], []
        root, _, rest = module.partition(".")
        if rest and root in self.modules:
            return f"{self.modules[root]}.{rest}", []
        return module, [(self._imports_at, self._imports_at, f"import {module}\n")]

    @cached_property
    def _imports_at(self) -> int:
        imports = [n for n in self.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
        first = next((n for n in imports if not _is_future(n)), None)
        if first is not None:
            return self._starts[first.lineno - 1]
        after = self.tree.body[:1] if ast.get_docstring(self.tree) is not None else []
        return self._starts[after[0].end_lineno or 0] if after else 0


def _lines_of(node: ast.AST) -> tuple[int | None, ...]:
    """The line that a node begins on, and of a call of a method that of its name: where a frame
    stands."""
    begin = getattr(node, "lineno", None)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return begin, node.func.end_lineno
    return (begin,)


def _root(name: str) -> str:
    return name.partition(".")[0]


def _is_future(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def names_in(node: ast.AST) -> set[str]:
    """The names that a node reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
