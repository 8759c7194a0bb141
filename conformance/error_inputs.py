"""Inputs that torch's own database of operations knows as errors: of shapes that do not fit, of
types, of values. The program is to be refused with torch's error."""

from collections.abc import Iterator

import torch

from conformance import opinfo
from conformance.device import device
from conformance.sample import Sample

VARIANTS = ("torch",)


def entries(variant: str) -> list[str]:
    """The operations that have any."""
    return [name for name, op in opinfo.database().items() if op.error_inputs_func is not None]


def samples(entry: str, variant: str) -> Iterator[Sample]:
    op = opinfo.database()[entry]
    torch.manual_seed(0)
    for number, each in enumerate(list(op.error_inputs_func(op, device()))):
        given = each.sample_input
        args = (given.input, *given.args)
        name = f"{entry} error {number}"
        yield Sample(name, "torch", opinfo.plain(op), args, given.kwargs, raises=True)
