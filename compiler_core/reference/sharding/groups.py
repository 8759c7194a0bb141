"""Reads the groups of devices that take part in a collective together, as HLO writes them.

replica_groups={{0,2},{1,3}}
replica_groups=[4,2]<=[8]                      rows of 0..7
replica_groups=[2,4]<=[4,2]T(1,0)              rows of 0..7 as [4,2], transposed
replica_groups=mesh['a'=4,'b'=2] {'a'}         along an axis of 0..7 as [4,2]
replica_groups=mesh['a'=1,'b'=2,'c'=4], device_ids=([4,2]T(1,0)) {'b'}
source_target_pairs={{0,1},{1,0}}
"""

import math
import re
from collections.abc import Sequence

import numpy as np

from compiler_core.report import Mesh

Groups = tuple[tuple[int, ...], ...]
# The most devices that are read.
_MOST = 1 << 16

_LISTED = re.compile(r"(?:replica_groups|source_target_pairs)=\{((?:\{[\d,]*\},?)*)\}")
_ROWS = re.compile(r"replica_groups=\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?")
_MESH = re.compile(
    r"replica_groups=mesh\[(?P<axes>[^\]]*)\]"
    r"(?:, device_ids=\(\[(?P<sizes>[\d,]+)\](?:T\((?P<order>[\d,]+)\))?\))? "
    r"\{(?P<along>[^}]*)\}"
)
_AXIS = re.compile(r"'([^']+)'=(\d+)")
_PLAIN = re.compile(r"'([^']+)'(?=,|$)")


def groups_of(rest: str) -> Groups | None:
    """The device ids of each group in an instruction's text, or the pairs of sender and receiver of
    a collective-permute; None if they are written in another form."""
    try:
        return _groups(rest)
    except ValueError:  # sizes that do not go into one another
        return None


def _groups(rest: str) -> Groups | None:
    if listed := _LISTED.search(rest):
        return tuple(_numbers(each) for each in re.findall(r"\{([\d,]+)\}", listed[1]))
    if rows := _ROWS.search(rest):
        return _rows(_iota(rows[2], rows[3]).reshape(_numbers(rows[1])))
    return _along(mesh) if (mesh := _MESH.search(rest)) else None


def _along(found: re.Match[str]) -> Groups | None:
    axes = [(name, int(size)) for name, size in _AXIS.findall(found["axes"])]
    sizes = [size for _, size in axes]
    names = _PLAIN.findall(found["along"].replace(" ", ""))
    if not axes or set(names) - {name for name, _ in axes} or "(" in found["along"]:
        return None
    ids = _iota(found["sizes"] or ",".join(map(str, sizes)), found["order"]).reshape(sizes)
    along = [place for place, (name, _) in enumerate(axes) if name in names]
    others = [place for place in range(len(axes)) if place not in along]
    size = int(np.prod([sizes[place] for place in along]))
    return _rows(ids.transpose(*others, *along).reshape(-1, size))


def _iota(sizes: str, order: str | None) -> np.ndarray:
    """0, 1, ... as an array of `sizes`, transposed to `order`."""
    shape = _numbers(sizes)
    if math.prod(shape) > _MOST:
        raise ValueError("nobody has so many devices")
    ids = np.arange(math.prod(shape)).reshape(shape)
    return ids.transpose(_numbers(order)) if order else ids


def _rows(ids: np.ndarray) -> Groups:
    return tuple(tuple(map(int, row)) for row in ids)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text.split(",") if n)


def axes_of(groups: Sequence[Sequence[int]], mesh: Mesh) -> tuple[str, ...]:
    """The axes of a mesh such that each group has all devices along them; empty if there are
    none."""
    axes = differing(groups, mesh)
    whole = int(np.prod([axis.size for axis in mesh.axes if axis.name in axes]))
    return axes if all(len(group) == whole for group in groups) else ()


def differing(groups: Sequence[Sequence[int]], mesh: Mesh) -> tuple[str, ...]:
    """The axes of a mesh in which the devices of a group differ; empty if one is not in the
    mesh."""
    place = dict(zip(mesh.devices, np.ndindex(*(a.size for a in mesh.axes)), strict=True))
    if any(device not in place for group in groups for device in group):
        return ()
    return tuple(
        axis.name
        for number, axis in enumerate(mesh.axes)
        if any(len({place[device][number] for device in group}) > 1 for group in groups)
    )


def shown(groups: Sequence[Sequence[int]]) -> str:
    """The groups as text: {0,2} {1,3}."""
    return " ".join(f"{{{','.join(map(str, group))}}}" for group in groups)
