"""Symbols in a sentence about a graph, as the sizes of its inputs that they are."""

import re
from collections.abc import Iterator
from typing import Any

import torch

from compiler_core.capture.torch.dynamo.pieces import Piece

# What torch's symbols are called, in a graph and as its inputs.
_SYMBOL = re.compile(r"\b[sS]\d+\b")
_UNNAMED = re.compile(r"s\d+|(arg|primals_)\d+(_1)?")


def with_sizes_named(text: str, piece: Piece) -> str:
    """`text` with `x.shape[0]` for the symbol that this is."""
    named = {**dict(_numbers(piece)), **dict(_sizes(piece))}
    return _SYMBOL.sub(lambda found: named.get(found[0].upper(), "a size"), text)


def _sizes(piece: Piece) -> Iterator[tuple[str, str]]:
    """Of the first tensor that has it."""
    for value, name in reversed(list(_given(piece))):
        for d, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
            yield from _symbol(size, f"{name}.shape[{d}]")


def _numbers(piece: Piece) -> Iterator[tuple[str, str]]:
    for value, name in _given(piece):
        yield from _symbol(value, name)


def _given(piece: Piece) -> Iterator[tuple[Any, str]]:
    for node, name in zip(piece.inputs, piece.names, strict=True):
        if not _UNNAMED.fullmatch(name):
            yield node.meta.get("val"), name


def _symbol(size: Any, named: str) -> Iterator[tuple[str, str]]:
    if isinstance(size, torch.SymInt) and size.node.expr.is_Symbol:
        yield str(size.node.expr).upper(), named
