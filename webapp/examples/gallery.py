"""The gallery: snippets/NN-name.py in the order of NN. The first line of the docstring is the
title."""

import ast
from functools import cache
from pathlib import Path

import msgspec

SNIPPETS = Path(__file__).parent / "snippets"


class Example(msgspec.Struct, frozen=True):
    name: str
    title: str
    framework: str
    source: str


class Gallery(msgspec.Struct, frozen=True):
    examples: list[Example]


@cache
def gallery() -> Gallery:
    """All examples, in order; read once per process."""
    return Gallery([example(path) for path in sorted(SNIPPETS.glob("[0-9][0-9]-*.py"))])


def example(path: Path) -> Example:
    """The example in a snippet's file."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    title = (ast.get_docstring(tree) or path.stem).splitlines()[0]
    return Example(path.stem.partition("-")[2], title, _framework(tree), source)


def _framework(tree: ast.Module) -> str:
    """The first framework imported at the top."""
    for node in tree.body:
        match node:
            case ast.Import(names=[ast.alias(name=name), *_]) | ast.ImportFrom(module=str(name)):
                if (root := name.partition(".")[0]) in ("torch", "jax"):
                    return root
    return ""
