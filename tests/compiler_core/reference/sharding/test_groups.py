"""Which devices take part in a collective together, read from HLO as XLA writes it."""

import pytest

from compiler_core.reference.sharding.groups import axes_of, differing, groups_of, shown
from compiler_core.report import Mesh, MeshAxis

MESH = Mesh([MeshAxis("data", 4), MeshAxis("model", 2)], list(range(8)))
PAIRS = ((0, 1), (2, 3), (4, 5), (6, 7))
FOURS = ((0, 2, 4, 6), (1, 3, 5, 7))


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("replica_groups={{0,2,4,6},{1,3,5,7}}, to_apply=%add", FOURS),
        ("replica_groups=[4,2]<=[8], dimensions={0}", PAIRS),
        ("replica_groups=[2,4]<=[4,2]T(1,0)", FOURS),
        ("replica_groups=mesh['axis_0'=4,'axis_1'=2] {'axis_0'}, dimensions={0}", FOURS),
        ("replica_groups=mesh['axis_0'=4,'axis_1'=2] {'axis_0','axis_1'}", (tuple(range(8)),)),
        (
            "replica_groups=mesh['axis_0'=1,'axis_1'=2,'axis_2'=4], device_ids=([4,2]T(1,0)) "
            "{'axis_1'}, use_global_device_ids=true",
            PAIRS,
        ),
        ("source_target_pairs={{0,2},{2,0}}", ((0, 2), (2, 0))),
        ("replica_groups={}", ()),
    ],
)
def test_every_way_in_which_groups_are_written_is_read(text, groups):
    assert groups_of(f"all-reduce(%x), channel_id=1, {text}") == groups


@pytest.mark.parametrize(
    "text",
    ["replica_groups=mesh['a'=8] {'a':(2)4}", "replica_groups=mesh['a'=8] {'b'}", "to_apply=%add"],
)
def test_what_is_written_otherwise_is_none(text):
    assert groups_of(text) is None


@pytest.mark.parametrize(
    ("groups", "axes"),
    [
        (FOURS, ("data",)),
        (PAIRS, ("model",)),
        ((tuple(range(8)),), ("data", "model")),
        (((0, 1), (2, 3)), ("model",)),
        (((0, 3), (1, 2)), ()),
        (((0, 9),), ()),
        ((), ()),
    ],
)
def test_groups_are_along_axes_of_the_mesh(groups, axes):
    assert axes_of(groups, MESH) == axes


def test_groups_are_shown_as_xla_lists_them():
    assert shown(PAIRS) == "{0,1} {2,3} {4,5} {6,7}"


def test_pairs_are_along_the_axes_in_which_they_differ():
    assert differing(((0, 2), (2, 4), (4, 6), (6, 0)), MESH) == ("data",)
    assert axes_of(((0, 2), (2, 4)), MESH) == ()
