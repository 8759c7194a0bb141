"""Graphs with symbolic sizes that the core cannot leave symbolic: each set of sizes is traced and
compiled as a graph of its own when it first occurs."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from compiler_core.capture.torch.dynamo import aot
from compiler_core.capture.torch.dynamo.pieces import Piece
from compiler_core.errors import sentence_of


def with_sizes(
    piece: Piece, compile_piece: Callable[[Piece], None], refused: Callable[[Piece, str], None]
) -> None:
    """From here on `piece` runs, for each set of sizes, as a copy specialised to these sizes, which
    `compile_piece` compiled when they first occurred. Where the sizes of a call do not suffice to
    trace it, torch runs it, and `refused` is called with the reason."""
    by_torch = piece.run
    known: dict[Any, aot.Boxed] = {}

    def run(args: list[Any]) -> list[Any]:
        sizes = tuple(_size(a) for a in args)
        if sizes not in known:
            known[sizes] = compiled(args)
        return known[sizes](args)

    def compiled(args: list[Any]) -> aot.Boxed:
        try:
            module = aot.with_concrete_sizes(piece.module, args)
        except Exception as error:
            refused(piece, f"traced for the sizes of a call, it raises {sentence_of(error)}")
            return by_torch
        one = replace(piece, module=module, run=by_torch, saved=())
        compile_piece(one)
        return one.run

    piece.run = run


def _size(arg: Any) -> Any:
    if isinstance(arg, torch.Tensor):
        return tuple(arg.shape), arg.stride(), arg.dtype
    return arg
