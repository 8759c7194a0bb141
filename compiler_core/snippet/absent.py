"""Packages that are not installed and that a snippet can do without: those that it imports and
never uses, and those that only show its progress. For the latter there are stand-ins: a progress
bar iterates over what it is given; plots and experiment trackers do nothing."""

import ast
import contextlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

from compiler_core.snippet.output import Emit, notice
from compiler_core.snippet.source import Source

_STAND_INS = {
    "tqdm": ("tqdm.auto", "tqdm.notebook", "tqdm.std"),
    "matplotlib": ("matplotlib.pyplot",),
    "seaborn": (),
    "wandb": (),
    "tensorboardX": (),
}


def is_absent(name: str) -> bool:
    """Whether the package of a dotted name is not installed."""
    root = name.partition(".")[0]
    return root not in sys.modules and importlib.util.find_spec(root) is None


def is_stood_in(name: str) -> bool:
    """Whether there is a stand-in for the package of a dotted name."""
    return name.partition(".")[0] in _STAND_INS


def without_unused(source: Source) -> tuple[Source, tuple[str, ...]]:
    """The snippet without its imports of absent packages that it never uses, and the names of those
    packages that it then does without. Line numbers do not change."""
    used = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    exported = {n.value for n in ast.walk(source.tree) if isinstance(n, ast.Constant)}
    cut = _Cut(used | {x for x in exported if isinstance(x, str)})
    tree = cut.visit(ast.parse(source.text)) if _imports_absent(source.tree) else source.tree
    kept = {package for node in ast.walk(tree) for package, _ in _imported(node)}
    return replace(source, tree=tree), tuple(
        p for p in dict.fromkeys(cut.packages) if p not in kept
    )


def _imports_absent(tree: ast.Module) -> bool:
    return any(is_absent(package) for node in ast.walk(tree) for package, _ in _imported(node))


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    """The packages that a statement imports from, each with the name that it binds."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = alias.name.partition(".")[0]
            yield root, alias.asname or root
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            yield node.module.partition(".")[0], alias.asname or alias.name


class _Cut(ast.NodeTransformer):
    def __init__(self, used: Iterable[str]) -> None:
        self.used, self.packages = set(used), list[str]()

    def _statement(self, node: ast.Import | ast.ImportFrom) -> ast.stmt:
        found = list(_imported(node))
        names = {name for _, name in found}
        if (
            not found
            or "*" in names
            or names & self.used
            or not all(is_absent(p) for p, _ in found)
        ):
            return node
        self.packages += [package for package, _ in found]
        return ast.copy_location(ast.Pass(), node)

    def visit_Import(self, node: ast.Import) -> ast.stmt:
        return self._statement(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        return self._statement(node)

    def visit_Try(self, node: ast.Try) -> ast.Try:
        """An import within `try` is kept: the snippet tests whether the package is installed."""
        return node


@contextlib.contextmanager
def stand_ins(source: Source, emit: Emit) -> Iterator[None]:
    """Context in which absent packages that only show progress are importable as stand-ins; a
    notice names each."""
    named = {package for node in ast.walk(source.tree) for package, _ in _imported(node)}
    added: list[str] = []
    for name in [n for n in _STAND_INS if n in named and is_absent(n)]:
        notice(emit, f"{name} is not installed here: what it would show is left out")
        for each in (name, *_STAND_INS[name]):
            sys.modules[each] = _module(each)
            added.append(each)
    try:
        yield
    finally:
        for name in added:
            sys.modules.pop(name, None)


def _module(name: str) -> ModuleType:
    module = ModuleType(name)
    module.__path__ = []
    of_bars = {"tqdm": Bar, "trange": lambda *args, **kwargs: Bar(range(*args))}
    contents = of_bars if name.startswith("tqdm") else {"__getattr__": lambda _: Nothing()}
    module.__dict__.update(contents)
    return module


class Nothing:
    """A stand-in object: calling it, its attributes and its items return itself, and it unpacks to
    two values, as a figure and its axes do."""

    def __call__(self, *args: Any, **kwargs: Any) -> "Nothing":
        return self

    def __getattr__(self, name: str) -> "Nothing":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, index: Any) -> "Nothing":
        return self

    def __iter__(self) -> Iterator["Nothing"]:
        return iter((self, self))

    def __enter__(self) -> "Nothing":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Bar(Nothing):
    """A progress bar, which iterates over what it is given."""

    def __init__(self, iterable: Iterable[Any] = (), *_: Any, **__: Any) -> None:
        self.iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return iter(self.iterable)
