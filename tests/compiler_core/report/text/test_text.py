"""A report as text for a terminal."""

from compiler_core import report
from compiler_core.report import Graph
from compiler_core.report.graphs import Saved
from tests.several_graphs import whole


def test_graphs_stand_in_order_with_the_python_between_them(golden) -> None:
    gated, _ = whole().programs
    golden(str(report.Report(programs=[gated])))


def test_what_a_forward_graph_saves_is_told_with_its_lines() -> None:
    assert (
        "    saves 256.00 KiB for the backward pass: "
        "sigmoid f32[64,512] (line 13), x f32[64,512] (line 12)\n"
    ) in str(whole())


def test_a_region_stands_within_the_graph_that_holds_it() -> None:
    loop = Graph("whole.3.body", "while body", "body", 7, "piece1")
    gated, _ = whole().programs
    gated.graphs.insert(2, loop)
    lines = str(report.Report(programs=[gated])).splitlines()
    assert lines[2:4] == ["  piece 1 of 2 (line 6)", "    while body (line 7)"]


def test_of_one_graph_nothing_is_said_of_graphs() -> None:
    one = report.Program(
        "f", "torch", graphs=[Graph(name="f")], stages=[report.Stage("fuse", "ok", 1.0)]
    )
    assert "graph" not in str(report.Report(programs=[one]))


def test_launches_in_a_loop_are_said_to_be_counted_at_each_turn() -> None:
    loop, row = (report.Kernel(f"k0_{kind}", kind, None, [], 8, 8, [1]) for kind in ("scan", "row"))

    def told(*kernels: report.Kernel) -> str:
        counts = report.Summary(launches_eager=2000, launches_core=200)
        program = report.Program("f", "jax", summary=counts, kernels=list(kernels))
        return str(report.Report(programs=[program]))

    assert "2000 eager, 200 core, those in a loop at each turn; memory" in told(loop, row)
    assert "2000 eager, 200 core; memory" in told(row)


def test_equal_launches_are_one_line_with_the_lines_of_all() -> None:
    def launch(name: str, line: int, same_as: str = "") -> report.Kernel:
        return report.Kernel(name, "row", None, ["add"], 8, 8, [line], same_as=same_as)

    kernels = [launch("k0", 3), launch("k1", 4), launch("k2", 5, "k0"), launch("k3", 6, "k0")]
    lines = str(
        report.Report(programs=[report.Program("f", "torch", kernels=kernels)])
    ).splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["k0", "k1"]
    assert "k0 (3 times)" in lines[-2] and "3,5,6" in lines[-2]


def test_edges_that_were_not_fused_stand_by_their_reasons() -> None:
    reasons = ["it is a launch of its own"] * 5 + [f"reason {i}" for i in range(20)]
    edges = [report.FusionRefusal(f"%{i}", f"%{i + 1}", reason) for i, reason in enumerate(reasons)]
    one = report.Program("f", "torch", graphs=[Graph(name="f")], fusion_refusals=edges)
    text = str(report.Report(programs=[one]))
    found = [line for line in text.splitlines() if "not fused" in line]
    assert found[0].endswith("%0 -> %1, %1 -> %2, %2 -> %3 and 2 more: it is a launch of its own")
    assert len(found) == 13 and "9 more, whose" in found[-1]


def test_why_it_is_not_faster_ends_a_program_grouped_and_counted(golden) -> None:
    item = report.Finding(
        "graph break", "dynamo", "Tensor.item() makes a number", remedy="keep it a tensor", line=7
    )
    copied = report.Finding("layout copy", "xla", "a transposed copy is made", line=4)
    unknown = report.Finding("not compiled", "xla", "a call to the host", count=2)
    one = report.Program("f", "torch", findings=[item, copied, item, unknown])
    golden(str(report.Report(programs=[one])))


def test_many_findings_with_one_reason_are_one_row_with_their_lines() -> None:
    called = "one of them is a call of a library"
    found = [
        report.Finding("not fused", "inductor", f"edge {i}", called, "a mode", line=9 - i % 8)
        for i in range(35)
    ]
    few = [report.Finding("not fused", "inductor", f"pair {i}", "other loops") for i in range(3)]
    one = report.Program("f", "torch", findings=[*found, *few])
    lines = str(report.Report(programs=[one])).splitlines()
    (row,) = [line for line in lines if called in line]
    assert row.split()[:8] == ["lines", "2,", "3,", "4,", "5,", "6,", "7,", "..."]
    assert row.endswith(f"{called} -> a mode (35 times)")
    assert [line.split("  ")[-1] for line in lines if "pair" in line] == [
        f"pair {i}" for i in range(3)
    ]


def test_of_many_findings_the_first_are_shown_and_the_rest_counted() -> None:
    found = [report.Finding("not fused", "xla", f"edge {i}", line=i + 1) for i in range(30)]
    text = str(report.Report(programs=[report.Program("f", "torch", findings=found)]))
    assert "edge 19" in text and "edge 20" not in text
    assert "  10 more, which --json has" in text


def test_passes_that_changed_nothing_in_several_graphs_are_only_counted() -> None:
    stages = [report.Stage(name, "ok", 1.0, graph=graph, changed=name == "merge-views")
              for graph in ("a", "b") for name in ("merge-views", "fold-constants")]  # fmt: skip
    graphs = [Graph(id=id_, name=id_, role="piece") for id_ in ("a", "b")]
    shown = str(
        report.Report(programs=[report.Program("f", "torch", graphs=graphs, stages=stages)])
    )
    assert shown.count("merge-views") == 2
    assert "fold-constants" not in shown
    assert "  2 passes changed nothing\n" in shown + "\n"


def test_of_many_values_that_wait_for_the_backward_pass_the_largest_are_named() -> None:
    saved = [Saved(f"v{i}", "f32[]", 4 * i, [i]) for i in range(1, 9)]
    graphs = [Graph(), Graph(id="a", name="forward", role="forward", parent="whole", saved=saved)]
    shown = str(report.Report(programs=[report.Program("f", "torch", graphs=graphs)]))
    assert "saves 144 B for the backward pass: v8 f32[] (line 8)" in shown
    assert "v3 f32[] (line 3) and 2 more of 12 B" in shown


def test_equal_notices_are_printed_once() -> None:
    again = report.Notice("info", "one more graph is compiled", 3)
    shown = str(report.Report(notices=[again, report.Notice("info", "other"), again]))
    assert shown.splitlines() == [
        "info (line 3): one more graph is compiled (2 times)",
        "info: other",
    ]
