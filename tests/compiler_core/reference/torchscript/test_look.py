"""TorchScript opened up, on a function with branches and loops."""

import functools

import pytest

from compiler_core import report
from tests.compiler_core.reference.looking import looked, stages_of

pytestmark = pytest.mark.cpu

SNIPPET = """\
import torch

def halve(x):
    if x.sum() > 0:
        return x * 0.5
    return x - 1

def f(x, n: int):
    for i in range(3):
        x = halve(x) + i
    if n > 2:
        x = x + float(x.mean())
    else:
        x = x.cos()
    return x.relu()

torch.compile(f)(torch.ones(3, 4), 3)
"""
SORTED = """\
import torch

def f(x):
    return sorted(x.tolist())[0] + x

torch.compile(f)(torch.ones(3))
"""


@functools.cache
def of(source: str) -> report.Program:
    (program,) = looked(source, "torchscript").programs
    return program


def test_a_script_keeps_loops_and_branches() -> None:
    script, _ = stages_of(of(SNIPPET), "torchscript")
    assert "prim::Loop" in script.artifacts[0].text and "prim::If" in script.artifacts[0].text
    assert script.summary.startswith("1 loop and 2 branches")


def test_a_trace_has_neither_and_says_which_lines_it_froze() -> None:
    _, trace = stages_of(of(SNIPPET), "torchscript")
    assert "prim::Loop" not in trace.artifacts[0].text
    (table,) = trace.tables
    assert [(row.line, row.cells[0]) for row in table.rows] == [
        (4, "a branch, or the end of a loop, was decided by a tensor's value or size"),
        (9, "the loop is 3 copies of its body"),
        (11, "the trace has the way alone where the condition holds"),
        (12, "a tensor's value became a Python float"),
    ]


def test_what_is_frozen_is_in_the_why_list_with_what_torch_warns_of() -> None:
    found = of(SNIPPET).findings
    assert {(f.kind, f.compiler) for f in found} == {("specialised", "torchscript")}
    assert [(f.line, bool(f.raw)) for f in found] == [
        (4, True),
        (9, False),
        (11, False),
        (12, True),
    ]
    assert all("TracerWarning" not in f.what and f.remedy for f in found)
    assert found[1].what == "torch.jit.trace: the loop is 3 copies of its body"
    assert "torch.jit.script" in found[1].remedy and "torch.where" not in found[1].remedy


def test_lines_of_either_graph_lead_to_captured_operations() -> None:
    line_of = {node.id: node.line for node in of(SNIPPET).nodes}
    for stage in stages_of(of(SNIPPET), "torchscript"):
        (text,) = stage.artifacts
        at = next(i for i, line in enumerate(text.text.splitlines()) if "aten::mul" in line)
        assert {line_of[node] for node in text.nodes[at]} == {5}


def test_what_no_script_can_take_is_one_sentence_with_its_line() -> None:
    script, trace = stages_of(of(SORTED), "torchscript")
    assert script.status == "failed" and "\n" not in script.summary
    assert trace.status == "ok"
    (failed,) = [f for f in of(SORTED).findings if f.kind == "not compiled"]
    assert failed.line == 4


def test_a_jax_program_is_told_why_not() -> None:
    source = "import jax, jax.numpy as jnp\njax.jit(lambda x: x + 1)(jnp.ones(3))\n"
    (program,) = looked(source, "torchscript").programs
    (only,) = [s for s in program.stages if s.compiler == "torchscript"]
    assert (only.status, only.summary) == ("skipped", "TorchScript compiles PyTorch programs alone")


def test_a_program_that_gives_a_dict_is_traced() -> None:
    source = 'import torch\ntorch.compile(lambda x: {"y": x * 2})(torch.ones(3))\n'
    _, trace = stages_of(of(source), "torchscript")
    assert trace.status == "ok" and "prim::DictConstruct" in trace.artifacts[0].text


def test_a_lambda_cannot_be_scripted_and_is_told_what_can() -> None:
    found = of("import torch\n\ntorch.compile(lambda x: x * 2)(torch.ones(3))\n").findings
    (refused,) = [each for each in found if each.kind == "not compiled"]
    assert "torch.jit.script" in refused.what and "`def`" in refused.remedy


def test_a_part_of_python_that_no_script_has_is_named_with_its_line_and_a_remedy() -> None:
    found = of("""
        import torch

        @torch.compile
        def f(x):
            double = lambda y: y * 2
            return double(x)

        f(torch.ones(3))
        """).findings
    (refused,) = [f for f in found if f.kind == "not compiled"]
    assert refused.line == 6 and refused.why.endswith("without Lambda")
    assert "`def`" in refused.remedy


def test_a_check_of_a_size_is_refused_by_a_trace_with_its_line_and_a_remedy() -> None:
    found = of("""
        import torch

        @torch.compile
        def f(x):
            torch._check(x.shape[0] < 100)
            return x * 2

        f(torch.ones(3))
        """).findings
    (refused,) = [f for f in found if f.what.startswith("torch.jit.trace cannot")]
    assert refused.line == 6 and "is_tracing()" in refused.remedy
