"""The joint graph of forward and backward pass, before AOTAutograd's partitioner splits it."""

from collections.abc import Sequence
from dataclasses import replace

import torch

from compiler_core.capture.captured import CapturedGraph, CapturedText
from compiler_core.capture.torch.dynamo.calls import calls_of
from compiler_core.capture.torch.dynamo.lowered import Lowered
from compiler_core.capture.torch.text import text_of
from compiler_core.errors import Unsupported


def with_joint(lowered: Sequence[Lowered]) -> list[CapturedGraph]:
    """The graphs of `lowered`; each forward graph has the text of the joint graph it was divided
    from."""
    return [replace(each.graph, joint=_joint(each, lowered)) for each in lowered]


def _joint(forward: Lowered, lowered: Sequence[Lowered]) -> CapturedText | None:
    """An operation of it is captured in the forward graph, in the backward graph, or in both: what
    is cheap is computed again. Where torch says something that we cannot read, there is no text."""
    piece = forward.piece
    if piece.joint is None or piece.role != "forward":
        return None
    try:
        traced = calls_of(piece.joint.module, piece.place)
    except Unsupported:
        return None
    cut = [x.numbers for x in lowered if x.piece.joint is piece.joint]
    ids = [tuple(m[name] for m in cut if name in m) for name in traced.names]
    inputs = zip(piece.joint.names, traced.inputs, strict=True)
    given = [
        (name, (x, x.dtype, tuple(x.shape))) for name, x in inputs if isinstance(x, torch.Tensor)
    ]
    results = [t for t in traced.outputs if isinstance(t, torch.Tensor)]
    lines = text_of("joint", given, traced.trace.calls, results, ())
    return CapturedText(
        "".join(f"{line}\n" for line, _ in lines),
        tuple(ids[nodes[0]] if nodes else () for _, nodes in lines),
    )
