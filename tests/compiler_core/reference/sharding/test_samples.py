"""What XLA wrote of two layers on a mesh of 4 and 2 devices, `sampled/divided.txt`, in each version
that there is a folder of."""

from pathlib import Path

import pytest

from compiler_core.reference.sharding import texts
from compiler_core.reference.sharding.groups import groups_of
from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.dump import Dump

FOLDERS = sorted(Path(__file__).with_name("samples").iterdir())
pytestmark = [
    pytest.mark.null,
    pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name),
]


def test_what_is_annotated_and_propagated_is_shown_without_shardys_rules(folder: Path) -> None:
    text = (folder / "after_propagation.mlir").read_text()
    files = {f"0.{side}_propagation.mlir": text.encode() for side in ("before", "after")}
    stage = texts.propagation(Dump(None, files))
    assert stage is not None and "sharding_rule" in text
    assert all("sharding_rule" not in each.text for each in stage.artifacts)
    assert texts.annotations((folder / "stablehlo.mlir").read_text()).endswith("sdy.sharding")


def test_a_collective_has_the_groups_of_devices_that_take_part(folder: Path) -> None:
    module = hlo.parse((folder / "optimizations.txt").read_text())
    (reduced,) = (i for i in module.instruction_at.values() if i.opcode == "all-reduce")
    assert groups_of(reduced.rest) == ((0, 1), (2, 3), (4, 5), (6, 7))


def test_files_have_the_names_by_which_the_partitioner_is_found(folder: Path) -> None:
    names = (folder / "files.txt").read_text().split()
    passes = {s.pass_ for s in Dump(None, dict.fromkeys(names, b"")).snapshots()}
    assert "spmd-partitioning" in passes
    assert any(name.endswith("before_propagation.mlir") for name in names)
