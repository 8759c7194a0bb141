"""A mesh of devices, and the shards of every array on it."""

from typing import Literal

import msgspec
from msgspec import field


class MeshAxis(msgspec.Struct, frozen=True):
    """One axis of a mesh: its name in the snippet, and its size in devices."""

    name: str
    size: int


class Mesh(msgspec.Struct, frozen=True):
    """A grid of devices: `devices` are their ids in row-major order, the last axis fastest."""

    axes: list[MeshAxis]
    devices: list[int]


class Shard(msgspec.Struct, frozen=True):
    """The part of an array on one device: in each dimension the indices from `begin` up to,
    without, `end`."""

    device: int
    begin: list[int]
    end: list[int]


class Holding(msgspec.Struct, frozen=True):
    """The sharding of one argument or result of the program; `bytes` are those of the whole
    array."""

    name: str
    role: Literal["argument", "result"]
    # As in f32[32,16].
    type: str
    shape: list[int]
    # The PartitionSpec, P('data', None); blank for a sharding without a mesh.
    spec: str
    shard_shape: list[int]
    bytes: int
    # Bytes on one device.
    device_bytes: int
    # The number of devices that have each element.
    copies: int
    shards: list[Shard] = field(default_factory=list)


class Placement(msgspec.Struct, frozen=True):
    """The shardings of a program's arguments and results on a mesh."""

    mesh: Mesh
    holdings: list[Holding] = field(default_factory=list)
