"""Graphs with symbolic sizes that the core cannot leave symbolic: each set of sizes is traced and
compiled as a graph of its own when it first occurs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from compiler_core.capture.torch.dynamo import private
from compiler_core.capture.torch.dynamo.pieces import Piece


def with_sizes(piece: Piece, compile_piece: Callable[[Piece], None]) -> None:
    """From here on `piece` runs, for each set of sizes, a copy of itself with these sizes, which
    `compile_piece` has compiled when they first occurred."""
    by_torch = piece.run
    known: dict[Any, Piece] = {}

    def run(args: list[Any]) -> list[Any]:
        sizes = tuple(_size(a) for a in args)
        if sizes not in known:
            module = private.with_concrete_sizes(piece.module, args)
            known[sizes] = replace(piece, module=module, run=by_torch, saved=())
            compile_piece(known[sizes])
        return known[sizes].run(args)

    piece.run = run


def _size(arg: Any) -> Any:
    if isinstance(arg, torch.Tensor):
        return tuple(arg.shape), arg.stride(), arg.dtype
    return arg
