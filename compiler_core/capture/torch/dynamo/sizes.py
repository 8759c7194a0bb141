"""Graphs whose sizes are symbols: Dynamo makes one where the same code is called with other
shapes. Each set of sizes that comes is a graph of its own here, made when it first comes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from compiler_core.capture.torch.dynamo import private
from compiler_core.capture.torch.dynamo.pieces import Piece


def with_sizes(piece: Piece, compile_piece: Callable[[Piece], None]) -> None:
    """From here on `piece` runs, for each set of sizes, a copy of itself that has these; what
    `compile_piece` makes of a copy is kept."""
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
