"""The sharding of a compiled program's arguments and results: which part each device holds."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax

from compiler_core import report
from compiler_core.wording import counted

# The most arrays in a report.
_MOST = 400
_COLUMNS = [
    report.Column("array"),
    report.Column("role"),
    report.Column("type", about="Of the whole."),
    report.Column("spec", about="Over which axis of the mesh each dimension is divided."),
    report.Column("per device", about="The shape that one device holds."),
    report.Column("size", "bytes", "Of the whole."),
    report.Column("size per device", "bytes"),
    report.Column("copies", about="How many devices hold each element."),
]
_SHARD_COLUMNS = [
    report.Column("array"),
    report.Column("device"),
    report.Column("at", about="Where the device is in the mesh."),
    report.Column("indices", about="Of each dimension, from the first to the one after the last."),
    report.Column("size", "bytes"),
]


def placement(compiled: Any, lowered: Any, names: Sequence[str]) -> report.Placement | None:
    """The placement of a jax.stages.Compiled's arrays; `lowered` is what it was compiled from, and
    `names` are its arguments'. None if nothing is on a mesh of several devices."""
    arguments = [*_arrays("argument", _given(lowered), compiled.input_shardings, names)]
    results = jax.tree_util.tree_flatten_with_path(lowered.out_info)[0]
    called = [f"result{jax.tree_util.keystr(path)}" for path, _ in results]
    found = [
        *arguments,
        *_arrays("result", [info for _, info in results], compiled.output_shardings, called),
    ]
    mesh = next(filter(None, (_mesh(sharding) for _, sharding in found)), None)
    if mesh is None:
        return None
    return report.Placement(mesh, [holding for holding, _ in found[:_MOST]])


def _given(lowered: Any) -> list[Any]:
    """The shapes and dtypes of the traced arguments, flat."""
    return jax.tree.leaves(lowered.args_info)


def _arrays(
    role: Any, infos: Sequence[Any], shardings: Any, names: Sequence[str]
) -> Iterator[tuple[report.Holding, Any]]:
    """Each array with its sharding. An argument that nothing reads has none in JAX, and is left
    out."""
    flat = jax.tree.leaves(shardings, is_leaf=lambda x: x is None)
    for number, (info, sharding) in enumerate(zip(infos, flat, strict=False)):
        name = names[number] if number < len(names) else f"{role} {number}"
        if sharding is not None:
            yield _holding(name.replace("'", ""), role, info, sharding), sharding


def _holding(name: str, role: Any, info: Any, sharding: Any) -> report.Holding:
    shape = tuple(info.shape)
    shard_shape = sharding.shard_shape(shape)
    indices = sharding.devices_indices_map(shape)
    size = math.prod(shape) * info.dtype.itemsize
    part = math.prod(shard_shape) * info.dtype.itemsize
    return report.Holding(
        name,
        role,
        jax.core.ShapedArray(shape, info.dtype).str_short(short_dtypes=True),
        list(shape),
        spec_of(sharding),
        list(shard_shape),
        size,
        part,
        len(indices) * part // size if size else 1,
        [_shard(device, index, shape) for device, index in indices.items()],
    )


def _shard(device: Any, index: tuple[slice, ...], shape: tuple[int, ...]) -> report.Shard:
    ranges = [each.indices(size) for each, size in zip(index, shape, strict=True)]
    return report.Shard(device.id, [r[0] for r in ranges], [r[1] for r in ranges])


def spec_of(sharding: Any) -> str:
    """A sharding's PartitionSpec as text, P('data', None); blank if it has none."""
    spec = getattr(sharding, "spec", None)
    if spec is None:
        return ""
    parts = [repr(tuple(part) if isinstance(part, tuple) else part) for part in spec]
    return f"P({', '.join(parts)})"


def _mesh(sharding: Any) -> report.Mesh | None:
    mesh = getattr(sharding, "mesh", None)
    if mesh is None or not getattr(mesh, "devices", None) is not None or mesh.size < 2:
        return None
    axes = [report.MeshAxis(str(name), size) for name, size in mesh.shape.items()]
    return report.Mesh(axes, [device.id for device in mesh.devices.flat])


def stage(found: report.Placement, note: str) -> report.Stage:
    """The stage with the tables of a placement; `note` ends its summary."""
    mesh = found.mesh
    sizes = ", ".join(f"{axis.name} {axis.size}" for axis in mesh.axes)
    summary = (
        f"{counted(len(found.holdings), 'array')} on {len(mesh.devices)} devices ({sizes}); {note}"
    )
    rows = [report.Row(_cells(each)) for each in found.holdings]
    tables = [
        report.Table("arrays", _COLUMNS, rows, "Arguments and results, in whole and per device."),
        report.Table("shards", _SHARD_COLUMNS, [*_shards(found)], "The indices on each device."),
    ]
    return report.Stage("arrays", "ok", 0.0, summary=summary, tables=tables, placement=found)


def _cells(each: report.Holding) -> list[report.Cell]:
    return [
        each.name,
        each.role,
        each.type,
        each.spec or None,
        str(each.shard_shape).replace(" ", ""),
        each.bytes,
        each.device_bytes,
        each.copies,
    ]


def _shards(found: report.Placement) -> Iterator[report.Row]:
    places = _places(found.mesh)
    for holding in found.holdings:
        for shard in holding.shards:
            pairs = zip(shard.begin, shard.end, strict=True)
            indices = ", ".join(f"{begin}:{end}" for begin, end in pairs)
            at = places.get(shard.device)
            yield report.Row([holding.name, shard.device, at, indices, holding.device_bytes])


def _places(mesh: report.Mesh) -> dict[int, str]:
    """The position of each device id in the mesh, as "data 1, model 0"."""
    found = {}
    for number, device in enumerate(mesh.devices):
        at, rest = [], number
        for axis in reversed(mesh.axes):
            rest, place = divmod(rest, axis.size)
            at.append(f"{axis.name} {place}")
        found[device] = ", ".join(reversed(at))
    return found
