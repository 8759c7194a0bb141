"""The definitions of a kernel while it is being lowered: each distinct value is defined once.

The level of a value is the number of consecutive reductions that it depends on; it is available
from the phase of that number on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from compiler_core.ir.graph import Value
from compiler_core.ir.monoids import Scalar
from compiler_core.ir.sizes import Dim, Size, is_proved
from compiler_core.ir.types import BOOL, I32, DType
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine
from compiler_core.kernel.kernel import Compute, Const, Def, Index
from compiler_core.kernel.refusal import Refused


class Attributed(Protocol):
    """What a definition is attributed to: an operation's value, or a step."""

    @property
    def origins(self) -> tuple[int, ...]: ...


class Definitions:
    """Defines scalar values and returns their names. `extents` are those of the axes, by name.
    Raises Refused as soon as there are more values than `most`: what a stencil reads at several
    places is computed once for each, so that chained stencils multiply them."""

    extents: dict[str, Dim]

    def __init__(self, most: int | None = None) -> None:
        self.most = most
        self.defs: list[Def] = []
        self.memo: dict[tuple[object, ...], str] = {}
        self.level: dict[str, int] = {}
        # The bool value under which the values being defined are there at all.
        self.mask: str | None = None

    # -- values that are there only for part of the loop

    @contextmanager
    def under(self, node: Attributed, condition: str | None) -> Iterator[None]:
        """Within the context, loads are masked by `condition`; None: not masked."""
        before, self.mask = self.mask, self.both(node, self.mask, condition)
        yield
        self.mask = before

    def inside(self, node: Attributed, part: Affine, size: Dim) -> str | None:
        """The bool value `0 <= part < size`; None if the axes' extents prove it."""
        result: str | None = None
        low, high = affine.bounds(part, self.extents)
        tests: tuple[tuple[bool, str, Dim], ...] = (
            (is_proved(lambda: low >= 0), "GE", 0),
            (is_proved(lambda: high < size), "LT", size),
        )
        for holds, direction, bound in tests:
            if not holds:
                result = self.both(node, result, self._test(node, part, direction, bound))
        return result

    def _test(self, node: Attributed, part: Affine, direction: str, bound: Dim) -> str:
        """The bool value that compares an index with a size."""
        at = self.number(node, part)
        if isinstance(bound, Size):
            limit = self.number(node, Affine((), bound))
        else:
            limit = self.constant(I32, bound)
        return self.compute(node, BOOL, "compare", (at, limit), direction)

    def number(self, node: Attributed, part: Affine) -> str:
        """An index expression as an i32 value."""
        return self.once(("index", part), lambda n: Index(n, I32, part, node.origins), *part.values)

    def both(self, node: Attributed, a: str | None, b: str | None) -> str | None:
        """The conjunction of two bool values; None stands for true."""
        if a is None or b is None:
            return b if a is None else a
        return a if a == b else self.compute(node, BOOL, "and", (a, b))

    def choose(self, node: Value, condition: str, value: str, other: str) -> str:
        """`value` where `condition` holds, else `other`."""
        return self.compute(node, node.type.dtype, "select", (condition, value, other))

    def compute(
        self, node: Attributed, dtype: DType, op: str, args: tuple[str, ...], direction: str = ""
    ) -> str:
        """An elementwise operation on values, with the origins of `node`."""
        level = max(self.level[a] for a in args)
        key = ("compute", op, dtype, args, direction)
        if key not in self.memo:
            self.memo[key] = self._add(
                lambda n: Compute(n, dtype, op, args, node.origins, direction), level
            )
        return self.memo[key]

    # -- bookkeeping

    def new_name(self, level: int) -> str:
        """A fresh name for a value that an effect defines."""
        name = f"v{len(self.level)}"
        self.level[name] = level
        return name

    def index(self, node: Attributed, dtype: DType, at: Affine) -> str:
        """An index expression as a value of `dtype`."""
        return self.once(
            ("iota", at, dtype), lambda n: Index(n, dtype, at, node.origins), *at.values
        )

    def once(self, key: tuple[object, ...], make: Callable[[str], Def], *read: str) -> str:
        """The name of the value that `make` defines: that of an earlier definition with an equal
        `key`, if there is one. `read` are the values that the new definition depends on, which
        determine its level."""
        if key not in self.memo:
            read = read if self.mask is None else (*read, self.mask)
            self.memo[key] = self._add(make, max((self.level[v] for v in read), default=0))
        return self.memo[key]

    def constant(self, dtype: DType, value: Scalar) -> str:
        # repr tells 1 from 1.0 and True, 0.0 from -0.0.
        return self.once(("constant", repr(value), dtype), lambda n: Const(n, dtype, value))

    def definition(self, name: str) -> Def | None:
        return next((d for d in self.defs if d.name == name), None)

    def _add(self, make: Callable[[str], Def], level: int) -> str:
        if self.most is not None and len(self.defs) == self.most:
            raise Refused(
                "too large", f"the kernel would compute more than {self.most} values at each point"
            )
        name = self.new_name(level)
        self.defs.append(make(name))
        return name
