"""The meshes that a snippet makes, read from its text: how many devices they take.

    jax.make_mesh((4, 2), ("data", "model"))
    Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
    Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))
    Mesh(jax.devices()[:4], ("data",))

It has to be known before the snippet runs: JAX makes its devices once in a process.
"""

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from compiler_core.snippet.source import Source

_MAKERS = frozenset(("make_mesh", "create_device_mesh"))
# What gives all devices that there are, or their number.
_ALL = frozenset(("devices", "local_devices"))
_COUNTS = frozenset(("device_count", "local_device_count"))
_MAPS = frozenset(("pmap",))
# A snippet may say the number itself, in the words of XLA's flag and of JAX's option.
_TOLD = re.compile(r"(?:xla_force_host_platform_device_count=|jax_num_cpu_devices\W+)(\d+)")
# Of a size that is "the rest" (-1), or that depends on how many devices there are.
_ANY = 1


@dataclass(frozen=True)
class Mesh:
    """The lines that make a mesh, its sizes, and the devices that it takes: exactly so many, or a
    multiple where a size is not said."""

    first: int
    last: int
    sizes: tuple[int, ...]
    devices: int

    def __str__(self) -> str:
        """4x2"""
        return "x".join(map(str, self.sizes))


@dataclass(frozen=True)
class Meshes:
    """What a snippet's text says of the devices that it is for."""

    source: Source

    @cached_property
    def all(self) -> tuple[Mesh, ...]:
        """In the order of the text."""
        return tuple(self._found()) if "jax" in self.source.text else ()

    @property
    def largest(self) -> Mesh | None:
        """The one that takes the most devices."""
        return max(self.all, key=lambda mesh: mesh.devices, default=None)

    @cached_property
    def told(self) -> int | None:
        """The number that the snippet itself tells XLA or JAX to have."""
        found = _TOLD.search(self.source.text) if "jax" in self.source.text else None
        return int(found[1]) if found else None

    @cached_property
    def takes_all(self) -> bool:
        """Whether it takes as many devices as there are."""
        names = map(_called, ast.walk(self.source.tree))
        return "jax" in self.source.text and any(n in _ALL | _COUNTS | _MAPS for n in names)

    def at(self, line: int | None) -> Mesh | None:
        """The mesh that is made in a line."""
        return next((m for m in self.all if line and m.first <= line <= m.last), None)

    def _found(self) -> Iterator[Mesh]:
        known = _numbers(self.source.tree)
        for node in ast.walk(self.source.tree):
            shape = _shape(node)
            sizes = _sizes(shape, known) if shape else ()
            if sizes and isinstance(node, ast.expr):
                yield Mesh(node.lineno, node.end_lineno or node.lineno, sizes, math.prod(sizes))


def _shape(node: ast.AST) -> list[ast.expr]:
    """The expressions of the sizes of a mesh that is made here; none where none is."""
    if isinstance(node, ast.Subscript) and _called(node.value) in _ALL:
        cut = node.slice
        return [cut.upper] if isinstance(cut, ast.Slice) and cut.upper else []
    name = _called(node)
    if not isinstance(node, ast.Call) or name is None:
        return []
    if name in _MAKERS:
        named = [k.value for k in node.keywords if k.arg in ("axis_shapes", "mesh_shape")]
        return [*node.args[:1], *named][:1]
    is_of_devices = name == "reshape" and any(_called(n) in _ALL for n in ast.walk(node.func))
    return node.args if is_of_devices else []


def _called(node: ast.AST) -> str | None:
    """The last name of the function that a call is of; of `jax.pmap` and `pmap` as a decorator's
    argument, the name itself."""
    func = node.func if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Attribute | ast.Name) and _name(node) in _MAPS:
        return _name(node)
    return _name(func) if func is not None else None


def _name(node: ast.AST) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _sizes(shape: list[ast.expr], known: Mapping[str, object]) -> tuple[int, ...]:
    values = [_value(each, known) for each in shape]
    flat = values[0] if len(values) == 1 and isinstance(values[0], tuple) else tuple(values)
    assert isinstance(flat, tuple)
    sizes = tuple(n if isinstance(n, int) and n > 0 else _ANY for n in flat)
    return sizes if math.prod(sizes) > 1 else ()


def _numbers(tree: ast.Module) -> dict[str, object]:
    """The names that stand for numbers, and for tuples of them, at the snippet's top level."""
    known: dict[str, object] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            _bind(node.targets[0], _value(node.value, known), known)
    return known


def _bind(target: ast.expr, value: object, known: dict[str, object]) -> None:
    if isinstance(target, ast.Name):
        known[target.id] = value
    elif isinstance(target, ast.Tuple) and isinstance(value, tuple):
        for each, part in zip(target.elts, value, strict=False):
            _bind(each, part, known)


def _value(node: ast.expr, known: Mapping[str, object]) -> object:
    """A number, a tuple of such, or None where the text does not say it."""
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            return known.get(name)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return tuple(_value(part, known) for part in parts)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            one, other = _value(left, known), _value(right, known)
            return one * other if isinstance(one, int) and isinstance(other, int) else None
    return None
