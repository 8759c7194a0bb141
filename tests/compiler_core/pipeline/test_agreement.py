"""What each compiler made of the same edges of the captured graph, each asked for real."""

import pytest

from compiler_core import report
from compiler_core.pipeline.order import PIPELINE, explore
from tests.compiler_core.pipeline.mlp import SOURCE

pytestmark = pytest.mark.cpu

OTHERS = ("inductor", "xla")
PRODUCT, GELU, ADD, SOFTMAX = "aten.mm", "aten.gelu", "aten.add.Tensor", "aten._softmax"
STAGES = tuple(
    s
    for s in PIPELINE
    if s.name in ("capture", "passes", "target passes", "fuse", "schedule", "insides")
)


@pytest.fixture(scope="module")
def program() -> report.Program:
    found = report.Report()
    asked = report.Options(measure=False, insides=OTHERS)
    explore(SOURCE, asked, lambda event: report.apply(found, event), stages=STAGES)
    (only,) = found.programs
    assert only.error is None
    return only


def edge(program: report.Program, maker: str, reader: str) -> tuple[int, int, int | None]:
    """The two captured operations, and the bytes that go from one to the other."""
    ids = {node.id: node.op for node in program.nodes}
    (found,) = [
        (read.node, node.id, read.bytes)
        for node in program.nodes
        for read in node.reads
        if (ids[read.node], node.op) == (maker, reader)
    ]
    return found


def verdicts(program: report.Program, maker: int, reader: int) -> dict[str, set[bool]]:
    found: dict[str, set[bool]] = {}
    for each in program.fusion_decisions:
        if maker in each.from_nodes and reader in each.to_nodes and each.backend != "gpu":
            assert each.fused or each.reason
            found.setdefault(each.compiler, set()).add(each.fused)
    for kernel in program.kernels:
        if kernel.backend == "cpu" and maker in kernel.nodes:
            found.setdefault("core", set()).add(reader in kernel.nodes)
    return found


@pytest.mark.parametrize(
    ("maker", "reader", "by"),
    [(GELU, ADD, {"core", *OTHERS}), (ADD, SOFTMAX, {"core", "inductor"})],
)
def test_what_is_computed_by_rows_is_one_kernel(program, maker, reader, by) -> None:
    made, read, size = edge(program, maker, reader)
    assert size == 64 * 32 * 4
    found = verdicts(program, made, read)
    assert found.keys() == {"core", *OTHERS}
    assert {who for who, fused in found.items() if True in fused} >= by, found


def test_each_says_what_it_made_of_a_product_and_who_reads_it(program) -> None:
    made, read, size = edge(program, PRODUCT, GELU)
    found = verdicts(program, made, read)
    assert size == 64 * 32 * 4 and found.keys() == {"core", *OTHERS}
    assert found["inductor"] == {False}
    (why,) = {
        each.reason
        for each in program.fusion_decisions
        if each.compiler == "inductor" and each.backend != "gpu"
        and made in each.from_nodes and read in each.to_nodes
    }  # fmt: skip
    assert "library call" in why
