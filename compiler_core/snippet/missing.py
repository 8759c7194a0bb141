"""Stand-ins for names that a snippet imports from packages that are not installed, or from files
beside it. Nothing is raised until a stand-in is used: a snippet whose `main` loads data with
torchvision still defines its model."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any, NoReturn

from compiler_core.errors import SnippetError
from compiler_core.snippet.absent import is_absent, is_stood_in
from compiler_core.snippet.annotating import is_readable
from compiler_core.snippet.source import Source

# The name in the snippet's module that is bound to the class.
_NAME = "__fuselab_missing__"
# Attributes by which tensors and annotations of tensors are recognised.
_TELLING = frozenset(("shape", "dtype", "dtypes", "dim_str", "named_parameters"))


class Missing:
    """Attributes and items of it are itself, so that it can be named in an annotation; anything
    else raises."""

    def __init__(self, package: str) -> None:
        self._package = package

    def __getattr__(self, name: str) -> "Missing":
        if name.startswith("__") or name in _TELLING:
            raise AttributeError(name)
        return self

    def __getitem__(self, item: Any) -> "Missing":
        return self

    __or__ = __ror__ = __getitem__

    def __instancecheck__(self, value: Any) -> bool:
        return False

    def _asked(self, *_: Any, **__: Any) -> NoReturn:
        raise ModuleNotFoundError(f"No module named {self._package!r}", name=self._package)


for _name in ("call", "mro_entries", "iter", "enter", "add", "radd", "mul", "rmul"):
    setattr(Missing, f"__{_name}__", Missing._asked)


def with_missing(source: Source, module: ModuleType) -> tuple[Source, dict[str, int]]:
    """The snippet with such stand-ins in place of its failing imports, and the line of the first
    import of each package."""
    change = _Change()
    tree = ast.fix_missing_locations(change.visit(source.tree))
    if change.lines:
        module.__dict__[_NAME] = Missing
    return replace(source, tree=tree), change.lines


def is_for_want(error: SnippetError) -> bool:
    """Whether a snippet ended because a package, a file or the network is missing, and not by a
    mistake."""
    return isinstance(error.__cause__, ImportError | OSError)


class _Change(ast.NodeTransformer):
    def __init__(self) -> None:
        self.lines: dict[str, int] = {}

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        here = [a for a in node.names if not _is_missing(a.name)]
        left: list[ast.stmt] = [ast.copy_location(ast.Import(here), node)] if here else []
        return [*left, *self._bound(node, [a for a in node.names if a not in here])]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        module = "." * node.level + (node.module or "")
        if not _is_missing(module) or node.names[0].name == "*":
            return node
        return list(self._bound(node, node.names, module))

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """An import within `try` is kept: the snippet tests whether the package is installed."""
        return node

    def _bound(
        self, node: ast.stmt, names: list[ast.alias], module: str = ""
    ) -> Iterator[ast.stmt]:
        for alias in names:
            package = _package(module or alias.name)
            self.lines.setdefault(package, node.lineno)
            name = alias.asname or alias.name.partition(".")[0]
            value = ast.Call(ast.Name(_NAME, ast.Load()), [ast.Constant(package)], [])
            yield ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], value), node)


def _is_missing(module: str) -> bool:
    if module.startswith("."):
        return True
    return is_absent(module) and not is_stood_in(module) and not is_readable(module)


def _package(module: str) -> str:
    return module if module.startswith(".") else module.partition(".")[0]
