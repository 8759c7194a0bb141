"""Generated lines lead to values of the IR, not only to the captured operations of these."""

import pytest
import torch

import compiler_core
from compiler_core import report

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("undisassembled")]


def softmax() -> report.Program:
    options = report.Options(measure=False)
    found = compiler_core.explore(
        lambda x: torch.softmax(x, -1), torch.ones(64, 512), fuselab_options=options
    )
    return found.programs[0]


def texts(program: report.Program, kind: str) -> list[report.Artifact]:
    return [a for stage in program.stages for a in stage.artifacts if a.kind == kind]


def lines_of(text: report.Artifact, value: int) -> list[str]:
    lines = zip(text.text.splitlines(), text.nodes, strict=False)
    return [line.strip() for line, ids in lines if ~value in ids]


def test_the_lines_of_one_value_are_few_of_those_of_its_operation():
    program = softmax()
    ir = texts(program, "ir")[-1]
    (total,) = [
        line.split(" = ")[0].strip(" %") for line in ir.text.splitlines() if "monoid = add" in line
    ]
    assert len(lines_of(ir, int(total))) == 1
    (triton,) = texts(program, "triton")
    found = lines_of(triton, int(total))
    assert 0 < len(found) < 4
    assert any("sum" in line for line in found)
    for kind in ("loops", "c", "ptx"):
        assert lines_of(texts(program, kind)[0], int(total)), kind


def test_what_is_no_text_has_captured_operations_alone():
    program = softmax()
    known = {node.id for node in program.nodes}
    for each in (*program.kernels, *program.buffers, *program.findings):
        assert set(each.nodes) <= known
