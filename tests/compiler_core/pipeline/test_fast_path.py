"""A TransformerEncoder with a padding mask, which PyTorch evaluates by a path of its own."""

import functools

import pytest

from compiler_core import report
from compiler_core.pipeline import explore

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("uncompiled")]

ENCODER = """
import torch
from torch import nn
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 1).eval()
pad = torch.zeros(3, 6, dtype=torch.bool)
pad[1:, 4:] = True
with torch.no_grad():
    model(torch.rand(3, 6, 8), src_key_padding_mask=pad)
"""


def test_padded_positions_are_what_a_compiler_makes_of_them():
    events: list[report.Event] = []
    explore(ENCODER, report.Options(measure=False), events.append)
    found = functools.reduce(report.apply, events, report.Report())
    (program,) = found.programs
    assert found.error is None and program.error is None
    assert all(program.numerics[who].ok for who in ("eager", "core"))
    assert any("gives zeros at padded positions" in n.text for n in found.notices)
