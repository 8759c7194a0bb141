"""A mesh of devices, and which part of every array each device holds: what the page draws."""

from typing import Literal

import msgspec
from msgspec import field


class MeshAxis(msgspec.Struct, frozen=True):
    """One axis of a mesh: its name in the snippet, and how many devices it has."""

    name: str
    size: int


class Mesh(msgspec.Struct, frozen=True):
    """Devices in a grid: `devices` are their numbers, the last axis running fastest."""

    axes: list[MeshAxis]
    devices: list[int]


class Shard(msgspec.Struct, frozen=True):
    """The part of an array that a device holds: of each dimension the indices from `begin` on, up
    to `end`, which is not in it."""

    device: int
    begin: list[int]
    end: list[int]


class Holding(msgspec.Struct, frozen=True):
    """One argument or result of the program, and who holds what of it."""

    name: str
    role: Literal["argument", "result"]
    # As in f32[32,16].
    type: str
    shape: list[int]
    # As JAX writes it: P('data', None). Blank of a sharding that is not of a mesh.
    spec: str
    shard_shape: list[int]
    bytes: int
    # Bytes that one device holds.
    device_bytes: int
    # How many devices hold each element.
    copies: int
    shards: list[Shard] = field(default_factory=list)


class Placement(msgspec.Struct, frozen=True):
    """The arguments and results of a program on a mesh."""

    mesh: Mesh
    holdings: list[Holding] = field(default_factory=list)
