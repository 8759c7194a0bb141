"""Which captured operations each node of an exported program computes."""

import torch

from compiler_core import capture
from compiler_core.reference.tvm.exported import exported, ids_in
from compiler_core.snippet.program import FoundProgram
from compiler_core.snippet.source import also_own


def attend(h, mask):
    s = (h @ h.transpose(-1, -2)) / 8
    s = s.masked_fill(mask == 0, -1e9).softmax(-1)
    return (s @ h).relu()


def test_each_node_computes_what_was_captured_there_also_where_it_has_another_name():
    with also_own(__file__):
        args = (torch.randn(2, 8, 4), torch.ones(8, 8))
        captured = capture.capture(FoundProgram("attend", "torch", 12, attend, args))
        nodes = exported(captured, "torch").program.graph.nodes
    ops = {node.id: node.op for node in captured.nodes}
    found = {
        str(node.target): {ops[i] for i in ids_in(node.meta.get("stack_trace", ""))}
        for node in nodes
        if node.op == "call_function"
    }
    assert found["aten.permute.default"] == {"aten.transpose.int"}
    assert found["aten.bmm.default"] == {"aten.bmm"}
    assert found["aten.div.Tensor"] == {"aten.div.Tensor"}
    assert found["aten.where.self"] == {"aten.masked_fill.Scalar"}
    # The last view of the line is of the product's own sizes.
    assert found["aten.view.default"] == {"aten._unsafe_view", "aten.bmm"}
