"""Index expressions: affine accesses as text over a tile's linear variables.

A tile has few variables: `index` for all parallel axes of an elementwise kernel, `row` and `column`
for a reduction. An axis is recovered from its variable by division and remainder; axes that an
access traverses contiguously need no recovery (1024*i0 + i1 is just `index`).
"""

from collections.abc import Callable
from dataclasses import dataclass

from compiler_core.ir import sizes
from compiler_core.ir.sizes import atom, hint, product
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import Axis


@dataclass(frozen=True, slots=True)
class Dim:
    """A linear variable: it counts the points of `axes`, the last one fastest. `mask` is the name
    of the mask of points that exist, "" if all do. `block` is false for a variable that is a single
    number."""

    name: str
    axes: tuple[Axis, ...]
    mask: str = ""
    block: bool = True

    @property
    def extent(self) -> sizes.Dim:
        """The number of points of its axes."""
        return product(a.extent for a in self.axes)


@dataclass(frozen=True, slots=True)
class Group:
    """Axes `first` to `last` of a Dim that an access traverses as one, with a stride of `stride`
    elements."""

    first: int
    last: int
    stride: sizes.Dim


def groups(access: Affine, dim: Dim) -> list[Group]:
    """The runs of `dim`'s axes in which each step of an outer axis equals a full traversal of the
    inner one."""
    found: list[Group] = []
    reach: sizes.Dim = 0
    for position in range(len(dim.axes) - 1, -1, -1):
        axis = dim.axes[position]
        stride = access.stride(axis.name)
        if axis.extent == 1:
            continue
        if stride != 0 and found and stride == reach:
            found[-1] = Group(position, found[-1].last, found[-1].stride)
        elif stride != 0:
            found.append(Group(position, position, stride))
        reach = stride * axis.extent
    return found[::-1]


def touches(access: Affine, dim: Dim) -> bool:
    """Whether an access depends on an axis of `dim`."""
    return bool(groups(access, dim))


def recover(dim: Dim, group: Group) -> str:
    """The expression that counts the points of `group`."""
    below = product(a.extent for a in dim.axes[group.last + 1 :])
    above = product(a.extent for a in dim.axes[: group.first])
    span = product(a.extent for a in dim.axes[group.first : group.last + 1])
    text = dim.name if below == 1 else f"{dim.name} // {atom(below)}"
    return text if above == 1 else f"{text} % {atom(span)}"


def group_name(dim: Dim, group: Group) -> str:
    """i1 for one axis, i1_i2 for axes 1 and 2 as one."""
    return "_".join(a.name for a in dim.axes[group.first : group.last + 1] if a.extent != 1)


def offset(access: Affine, dims: tuple[Dim, ...], named: Callable[[Dim, Group], str]) -> str:
    """The element offset, largest stride first; "" for 0. `named` returns the name of a recovered
    index."""
    parts = [(group.stride, dim, group) for dim in dims for group in groups(access, dim)]
    text = ""
    for stride, dim, group in sorted(parts, key=lambda part: -abs(hint(part[0]))):
        name = dim.name if recover(dim, group) == dim.name else named(dim, group)
        text = _plus(text, stride, name)
    last = access.offset
    if sizes.is_proved(lambda: last < 0):
        text = f"{text} - {atom(abs(last))}"
    elif last != 0:
        text = f"{text} + {last}"
    return text.removeprefix(" + ").strip()


def _plus(text: str, stride: sizes.Dim, name: str) -> str:
    term = name if abs(stride) == 1 else f"{name} * {atom(abs(stride))}"
    if not text:
        return term if stride > 0 else f"-{term}"
    return f"{text} {'+' if stride > 0 else '-'} {term}"
