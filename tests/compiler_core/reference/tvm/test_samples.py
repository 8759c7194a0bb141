"""What TVM printed of `h = relu(x @ w + b); h - h.mean(-1), h.sum(0)`, in each version that there
is a folder of: its operations are 0 mm, 1 add, 2 relu, 3 mean, 4 sub, 5 sum."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from compiler_core.reference.tvm import kernels, passes, script
from compiler_core.reference.tvm.exported import ids_in

FOLDER = Path(__file__).with_name("samples")
VERSIONS = sorted(path.name for path in FOLDER.iterdir())

pytestmark = pytest.mark.parametrize("version", VERSIONS)


class Sample:
    def __init__(self, version: str) -> None:
        files = {path.name: path.read_text() for path in (FOLDER / version).iterdir()}
        facts = json.loads(files["facts.json"])
        self.given = files["given.txt"]
        self.variables = {name: ids_in(said) for name, said in facts["variables"].items()}
        self.passes = passes.passes(facts, files)

    def after(self, name: str) -> str:
        return passes.after(self.passes, name)

    def kernels(self) -> list[kernels.Kernel]:
        texts = (self.after("LegalizeOps"), self.after("AnnotateTIROpPattern"))
        return kernels.kernels(*texts, self.after("FuseOps"), self.variables)

    def places(self) -> passes.Places:
        return passes.Places(self.variables, {k.name: [*k.nodes] for k in self.kernels()})


def test_a_variable_is_known_by_the_operation_that_it_comes_of(version):
    sample = Sample(version)
    assert [*sample.variables.values()] == [[0], [1], [2], [3], [4], [5]]
    imported = passes.imported(sample.given, sample.places())
    of = dict(zip((x.strip() for x in imported.text.splitlines()), imported.nodes, strict=True))
    (relu,) = (ids for line, ids in of.items() if "R.nn.relu(" in line)
    assert relu == [2]


def test_kernels_have_their_members_classes_and_operations(version):
    first, second, third = Sample(version).kernels()
    assert (first.name, first.nodes) == ("fused_matmul_add_relu", (0, 1, 2))
    assert first.members[0] == "matmul: elementwise may follow"
    assert (second.name, second.nodes) == ("fused_mean_subtract", (3, 4))
    assert (third.name, third.nodes, third.certain) == ("sum", (5,), True)


def test_without_fusion_each_call_is_a_kernel(version):
    sample = Sample(version)
    found = kernels.kernels(sample.after("LegalizeOps"), "", "", sample.variables)
    assert [k.nodes for k in found] == [(0,), (1,), (2,), (3,), (4,), (5,)]
    assert found[0].members == ("matmul: no class",)


def test_a_function_that_is_called_twice_is_one_kernel_that_is_not_certain(version):
    sample, call = Sample(version), "cls.fused_matmul_add_relu(x, w, b)"
    twice = sample.after("FuseOps").replace(call, f"{call}\n            lv9 = {call}")
    found = kernels.kernels(sample.after("LegalizeOps"), "", twice, sample.variables)
    assert (found[0].name, found[0].certain) == ("fused_matmul_add_relu", False)
    assert len(found) == 3


def test_kernels_are_counted_for_the_row_of_tvm_among_the_compilers(version):
    sample, call = Sample(version), "cls.fused_matmul_add_relu(x, w, b)"
    twice = sample.after("FuseOps").replace(call, f"{call}\n            lv9 = {call}")
    counts = kernels.counts(sample.after("LegalizeOps"), twice)
    assert (counts["kernels"].value, counts["launches"].value) == (3, 4)
    assert kernels.counts(sample.after("LegalizeOps"), "")["launches"].value == 6


def test_passes_that_changed_the_module_are_stages_each_from_the_one_before(version):
    sample = Sample(version)
    parent, *stages = passes.stages(sample.given, sample.passes, sample.places())
    assert parent.summary == "5 runs of 5 passes, of which 4 changed the module"
    assert [len(row.cells) for row in parent.tables[0].rows] == [5] * 5
    assert [s.name for s in stages][:3] == ["LegalizeOps", "AnnotateTIROpPattern", "FuseOps"]
    before = [sample.given, *(s.artifacts[1].text for s in stages)]
    assert [s.artifacts[0].text for s in stages] == before[:-1]


def test_of_a_pass_that_runs_for_each_of_many_functions_the_first_runs_are_shown(version):
    sample = Sample(version)
    *own, last = [p for p in sample.passes if p.text]
    many = [*own, *(replace(last, text=f"{last.text}# {n}\n") for n in range(300))]
    parent, *stages = passes.stages(sample.given, many, sample.places())
    assert len(stages) == len(own) + 4
    assert parent.summary.endswith("of each pass the first 4 of these are shown")
    assert sum(row.cells[3] for row in parent.tables[0].rows) == len(many)


def test_runs_of_one_pass_in_one_pipeline_are_one_row(version):
    sample = Sample(version)
    twice = [replace(p, within=w) for p in sample.passes for w in ("Relax", "TIR", "TIR")]
    parent, *_ = passes.stages(sample.given, twice, sample.places())
    rows = {tuple(row.cells[:2]): row.cells[2:] for row in parent.tables[0].rows}
    assert len(rows) == 2 * len(sample.passes)
    first = sample.passes[0]
    assert rows["TIR", first.name] == [2, 2 * bool(first.text), 2 * first.ms]


def test_a_kernels_lines_lead_to_its_operations_after_fusion(version):
    sample = Sample(version)
    *_, fuse, flat = passes.stages(sample.given, sample.passes, sample.places())
    for stage in (fuse, flat):
        after = stage.artifacts[1]
        of = dict(zip(after.text.splitlines(), after.nodes, strict=True))
        if stage is fuse:
            (body,) = (ids for line, ids in of.items() if "cls.relu" in line)
            (call,) = (ids for line, ids in of.items() if "= cls.fused_mean_subtract" in line)
            assert (body, call) == ([0, 1, 2], [3, 4])


def test_what_is_printed_otherwise_has_no_functions(version):
    assert script.calls("nothing that\n  looks like TVM") == {}
    assert kernels.kernels("", "", "", {}) == []
