"""Which passes changed the module, over all of XLA's pipelines."""

import pytest

from compiler_core.reference.xla.dump import Dump, Snapshot
from compiler_core.reference.xla.pass_names import about
from compiler_core.reference.xla.passes import changes, stages
from compiler_core.reference.xla.places import Places

_TEXT = """HloModule m{head}
ENTRY %e (p: f32[2]) -> f32[2] {{
  %p = f32[2]{{0}} parameter(0), metadata={{op_name="{name}"}}
  ROOT %r = f32[2]{{0}} {op}(%p)
}}
"""


def module(op: str, name: str = "p", head: str = "") -> str:
    return _TEXT.format(op=op, name=name, head=head)


def snapshots(*each: tuple[str, str | None, str]) -> list[Snapshot]:
    return [Snapshot(n, *what) for n, what in enumerate(each)]


def test_a_change_is_found_across_the_starts_of_pipelines() -> None:
    found = changes(
        snapshots(
            ("", None, module("sine")),
            ("outer", None, module("sine")),
            ("outer", "cse", module("cosine")),
            ("inner", None, module("cosine")),
            ("inner", "dce", module("tanh")),
            ("outer", "inner", module("tanh")),  # the inner pipeline as a pass of the outer one
        )
    )
    assert [(c.pipeline, c.pass_) for c in found] == [("outer", "cse"), ("inner", "dce")]
    assert "sine(" in found[0].before.text and "cosine(" in found[0].after.text
    assert found[1].before is found[0].after


def test_a_change_of_metadata_alone_is_none() -> None:
    found = snapshots(("p", None, module("sine", "a")), ("p", "cse", module("sine", "b")))
    assert changes(found) == []


def test_what_changed_before_a_pipeline_began_is_no_pass_of_its() -> None:
    scheduled = module("sine", head=", is_scheduled=true")
    found = changes(snapshots(("a", "cse", module("sine")), ("b", None, scheduled)))
    assert [(c.pipeline, c.pass_) for c in found] == [("", "scheduling")]


def test_a_pass_hangs_under_its_pipeline_and_names_come_once() -> None:
    found = changes(
        snapshots(
            ("simplification", None, module("a")),
            ("simplification", "algsimp", module("b")),
            ("other", "cse", module("c")),
            ("simplification", "algsimp", module("d")),
        )
    )
    shown = [*stages(found, Places("jax", ()))]
    assert [(s.parent, s.name) for s in shown] == [
        ("", "simplification"),
        ("simplification", "algsimp"),
        ("", "other"),
        ("other", "cse"),
        ("", "simplification 2"),
        ("simplification 2", "algsimp 2"),
    ]
    assert shown[1].summary.startswith(about("algsimp"))
    assert shown[3].summary == f"{about('cse')}: 2 instructions"


def test_files_are_in_the_order_of_all_pipelines_and_others_are_none() -> None:
    files = {
        "0002.simplification.after_algsimp.before_dce.txt": b"b",
        "0001.simplification.after_pipeline-start.before_algsimp.txt": b"a",
        "cpu_after_optimizations.txt": b"c",
        "before_optimizations.txt": b"0",
        "whatever.txt": b"d",
    }
    found = [(s.pipeline, s.pass_, s.text) for s in Dump(None, files).snapshots()]
    assert found == [
        ("", None, "0"),
        ("simplification", None, "a"),
        ("simplification", "algsimp", "b"),
        ("", None, "c"),
    ]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("HLO_passes_through_layout_assignment", "layouts"),
        ("float-normalization-bf16", "bf16"),
        ("a pass of next year", ""),
    ],
)
def test_names_are_explained_where_they_are_known(name: str, word: str) -> None:
    assert word in about(name) and bool(about(name)) == bool(word)
