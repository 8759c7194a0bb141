"""How a class's methods use what its constructor keeps: after `self.size = input_size`, `h, w =
self.size` says that `input_size` is a pair."""

import ast
import copy
from collections.abc import Mapping
from dataclasses import replace

from compiler_core.snippet.guess.usage import Usage, usages
from compiler_core.snippet.source import Definition


def with_kept(used: Mapping[str, Usage], whole: Definition | ast.Lambda) -> dict[str, Usage]:
    """`used`, completed by `whole`, the result of `methods`: which parameters are unpacked to
    several parts."""
    said = usages(whole, list(used))
    return {n: replace(each, parts=each.parts or said[n].parts) for n, each in used.items()}


def methods(constructor: Definition | ast.Lambda, tree: ast.Module) -> Definition | ast.Lambda:
    """The class of a `constructor` with the attributes that keep parameters renamed to these, so
    that it can be read as the parameters' code; the constructor itself if the snippet has no such
    class."""
    found = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef))
    cls = next((c for c in found if constructor in c.body), None)
    if cls is None:
        return constructor
    kept, own = _kept(constructor), ast.ClassDef(cls.name, [], [], [], [])
    others = (copy.deepcopy(n) for n in cls.body if n is not constructor)
    own.body = [constructor, *(_Renamed(kept).visit(n) for n in others)]  # type: ignore[list-item]
    return own


def _kept(constructor: ast.AST) -> Mapping[str, str]:
    """The parameter by the attribute that keeps it as it is."""
    found = {}
    for node in ast.walk(constructor):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found.update({ast.unparse(t): node.value.id for t in node.targets})
    return {target: name for target, name in found.items() if target.startswith("self.")}


class _Renamed(ast.NodeTransformer):
    """A method's own names are others than the constructor's."""

    def __init__(self, kept: Mapping[str, str]) -> None:
        self._kept = kept

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = self._kept.get(ast.unparse(node))
        if name is not None:
            return ast.copy_location(ast.Name(name, node.ctx), node)
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name(f"{node.id}.", node.ctx), node)
