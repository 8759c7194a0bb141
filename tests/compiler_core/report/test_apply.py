"""Facts of one graph, or of one backend's plan, leave the others' alone."""

from functools import reduce

import pytest

from compiler_core import report

FOUND = report.ProgramFound(0, "step", "torch", report.Entry(3), ["f32[4]"], "cpu")


def kernel(name: str, graph: str, backend: str) -> report.Kernel:
    return report.Kernel(name, "elementwise", None, [], 0, 0, [], graph=graph, backend=backend)


def program(*events: report.Event) -> report.Program:
    return reduce(report.apply, (FOUND, *events), report.Report()).programs[0]


def facts(graph: str | None, backend: str | None, *names: str) -> report.Facts:
    result = [kernel(name, graph or report.WHOLE, backend or "") for name in names]
    return report.Facts(0, kernels=result, graph=graph, backend=backend)


def kernels_of(of: report.Program) -> list[tuple[str, str, str]]:
    return [(k.graph, k.backend, k.id) for k in of.kernels]


def test_a_program_has_its_root_graph_from_the_start() -> None:
    found = program()
    assert found.graphs == [report.Graph("whole", "step", "whole", 3)]
    assert found.backend == "cpu"


def test_facts_without_a_scope_replace_all() -> None:
    assert kernels_of(program(facts("a", "cpu", "k0"), facts(None, None, "k1"))) == [
        ("whole", "", "k1")
    ]


def test_facts_of_a_plan_stand_beside_those_of_others() -> None:
    after = program(facts("a", "cpu", "k0"), facts("a", "gpu", "k0", "k1"), facts("b", "cpu", "k0"))
    assert kernels_of(after) == [
        ("a", "cpu", "k0"),
        ("a", "gpu", "k0"),
        ("a", "gpu", "k1"),
        ("b", "cpu", "k0"),
    ]


def test_facts_of_a_plan_replace_its_own() -> None:
    after = program(facts("a", "cpu", "k0"), facts("b", "cpu", "k0"), facts("a", "cpu"))
    assert kernels_of(after) == [("b", "cpu", "k0")]


@pytest.mark.parametrize("backend", [None, "gpu"])
def test_what_carries_no_backend_is_replaced_by_its_graph_alone(backend: str | None) -> None:
    def seen(graph: str, op: str) -> report.Facts:
        nodes = [report.CapturedOp(0, op, graph=graph)]
        return report.Facts(0, nodes=nodes, graph=graph, backend=backend)

    after = program(seen("a", "add"), seen("b", "mul"), seen("a", "neg"))
    assert [(n.graph, n.op) for n in after.nodes] == [("b", "mul"), ("a", "neg")]


def test_facts_of_a_plan_leave_what_is_not_told() -> None:
    after = program(facts("a", "cpu", "k0"), report.Facts(0, backend="cpu", graph="a", buffers=[]))
    assert kernels_of(after) == [("a", "cpu", "k0")]
