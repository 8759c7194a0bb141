"""The device meshes that a snippet makes, read from its text, and how many devices they need.

    jax.make_mesh((4, 2), ("data", "model"))
    Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))
    Mesh(mesh_utils.create_device_mesh((4, 2)), ("data", "model"))
    Mesh(jax.devices()[:4], ("data",))

The number must be known before the snippet runs, since a process sets JAX's devices once.
"""

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from compiler_core.snippet.source import Source

_MAKERS = frozenset(("make_mesh", "create_device_mesh"))
# Functions that return all devices, and those that return their number.
_ALL = frozenset(("devices", "local_devices"))
_COUNTS = frozenset(("device_count", "local_device_count"))
_MAPS = frozenset(("pmap",))
# A snippet may set the number itself, by XLA's flag or JAX's option.
_SET_BY_SNIPPET = re.compile(
    r"(?:xla_force_host_platform_device_count=|jax_num_cpu_devices\W+)(\d+)"
)
# The size that is assumed of an axis of -1, or of one computed from the number of devices.
_ANY = 1


@dataclass(frozen=True)
class Mesh:
    """A mesh made on the lines `first` to `last`, 1-based, with the sizes of its axes. It needs
    `devices` devices, or a multiple of them if the text does not show all sizes."""

    first: int
    last: int
    sizes: tuple[int, ...]
    devices: int

    def __str__(self) -> str:
        """4x2"""
        return "x".join(map(str, self.sizes))


@dataclass(frozen=True)
class Meshes:
    """What a snippet's text says about the devices that it needs."""

    source: Source

    @cached_property
    def all(self) -> tuple[Mesh, ...]:
        """All meshes, in the order of the text; none if the snippet is not for JAX."""
        return tuple(self._found()) if "jax" in self.source.text else ()

    @property
    def largest(self) -> Mesh | None:
        """The mesh that needs the most devices; None if there is none."""
        return max(self.all, key=lambda mesh: mesh.devices, default=None)

    @cached_property
    def set_by_snippet(self) -> int | None:
        """The number of devices that the snippet itself sets, if it does."""
        found = _SET_BY_SNIPPET.search(self.source.text) if "jax" in self.source.text else None
        return int(found[1]) if found else None

    @cached_property
    def takes_all(self) -> bool:
        """Whether it uses all devices, however many there are."""
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
    """The values of the names that are bound to numbers, or to tuples of them, at the top level."""
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
    """A number, a tuple of values, or None if it cannot be read from the text."""
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
