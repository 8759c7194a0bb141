"""What IREE printed of `h = relu(x @ w + b); h - h.mean(-1), h.sum(0)`, in each version that there
is a folder of: its operations are 0 mm, 1 add, 2 relu, 3 mean, 4 sub, 5 sum."""

from pathlib import Path

import pytest

from compiler_core.reference.iree import dispatches, executables, mlir, phases
from compiler_core.reference.units_of_work import decisions
from compiler_core.report import Artifact

FOLDER = Path(__file__).with_name("samples")
VERSIONS = sorted(path.name for path in FOLDER.iterdir())
GIVEN = Artifact("stablehlo", "stablehlo", "stablehlo", "module {}\n", [[]])

pytestmark = pytest.mark.parametrize("version", VERSIONS)


def files(version: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in (FOLDER / version).iterdir()}


def regions(version: str) -> list[dispatches.Region]:
    found = phases.texts(files(version))
    return dispatches.regions(found["dispatch-creation"], found["flow"])


def test_phases_are_stages_in_their_order_each_from_the_one_before(version):
    found = phases.texts(files(version))
    parent, *stages = phases.stages(found, GIVEN, "")
    assert (parent.name, parent.summary) == ("phases", "2 phases")
    assert [s.name for s in stages] == ["dispatch-creation", "flow"]
    first, second = stages
    assert [a.name for a in first.artifacts] == ["before", "after"]
    assert first.artifacts[0].text == GIVEN.text
    assert second.artifacts[0].text == first.artifacts[1].text
    assert {s.parent for s in stages} == {"phases"}


def test_texts_are_shown_without_locations_and_lists_of_vector_instructions(version):
    for text in phases.texts(files(version)).values():
        shown = text.artifact("after").text
        assert "loc(" not in shown and "+avx2" not in shown
        assert len(text.nodes) == shown.count("\n")


def test_a_line_leads_to_its_captured_operations(version):
    text = phases.texts(files(version))["dispatch-creation"]
    of = dict(zip((line.strip() for line in text.lines), text.nodes, strict=True))
    (matmul,) = (ids for line, ids in of.items() if "= linalg.matmul" in line)
    (relu,) = (ids for line, ids in of.items() if "= arith.maximumf" in line)
    assert (matmul, relu) == ([0], [2])


def test_dispatches_have_irees_names_members_and_bytes(version):
    first, second, third = regions(version)
    assert first.name.startswith("main_dispatch_0_matmul_8x4x16")
    assert first.members["linalg.matmul"] == 1 and first.members["arith.maximumf"] == 1
    assert first.bytes == 4 * (8 * 16 + 16 * 4 + 4 + 8 * 4)
    assert [each.nodes for each in (first, second, third)] == [(0, 1, 2), (3, 4), (5,)]


def test_the_table_has_a_row_for_each_with_the_snippets_line(version):
    stage = dispatches.stage(regions(version), {0: None, 1: 4, 3: 5, 5: 6})
    (table,) = stage.tables
    assert stage.summary == "3 dispatches" and [row.line for row in table.rows] == [4, 5, 6]
    assert all(len(row.cells) == len(table.columns) for row in table.rows)


def test_dispatches_are_counted_for_the_row_of_iree_among_the_compilers(version):
    found = regions(version)
    counts = {name: figure.value for name, figure in dispatches.counts(found).items()}
    moved = sum(each.bytes for each in found)
    assert counts == {"kernels": 3, "launches": 3, "library_calls": 0, "bytes": moved}
    assert dispatches.counts([found[0]] * 2)["kernels"].value == 1


def test_edges_within_a_dispatch_are_fused_and_others_are_not(version):
    edges = [(0, 1, 128), (2, 3, 128), (2, 9, 128)]
    inside, between = decisions("iree", regions(version), edges)
    assert inside.fused and inside.reason == "linalg.fill, linalg.matmul, linalg.generic"
    assert not between.fused and between.reason.startswith("IREE gives no reason: from linalg.fill")
    assert (between.from_nodes, between.to_nodes, between.bytes) == ([2], [3], 128)


def test_passes_are_listed_by_what_they_took_by_the_clock_on_the_wall(version):
    parent, *_ = phases.stages({}, GIVEN, files(version)["timing.txt"])
    (table,) = parent.tables
    names, times = zip(*(row.cells for row in table.rows), strict=True)
    assert "SerializeTargetExecutablesPass" in names and "root" not in names
    assert [*times] == sorted(times, reverse=True) and max(times) < 2000


def test_code_leads_to_the_dispatch_that_it_begins(version):
    name = regions(version)[0].name
    linked = "jit_f_linked_embedded_elf_x86_64"
    code = {
        "jit_f_main_dispatch_0.mlir": "module {}\n",
        "configured_jit_f_main_dispatch_0.mlir": "module {}\n",
        f"{linked}.codegen.ll": f"; ir\ndefine internal i32 @{name}(ptr %0) {{\n",
        f"{linked}.s": f"\t.text\n{name}:\n\tret\n",
    }
    parent, source, all_code = executables.stages(code, {name: [0, 1, 2]})
    assert parent.summary == "1 source, 1 object file"
    assert [a.name for a in source.artifacts] == ["before", "after"]
    assert all_code.name == "code of jit_f_linked"
    assert [a.nodes for a in all_code.artifacts] == [[[], [0, 1, 2]], [[], [0, 1, 2], []]]


def test_what_is_printed_otherwise_is_shown_and_nothing_is_concluded_from_it(version):
    odd = mlir.read("module {\n  a.new.operation loc(here\n")
    assert odd.lines[0] == "module {" and dispatches.regions(odd, odd) == []
    parent, *stages = phases.stages(phases.texts({"other.txt": "x"}), GIVEN, "no times here")
    assert parent.tables == [] and stages == []
