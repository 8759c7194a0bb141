"""Values at each point of the reduce axes that are computed once and kept for later phases."""

from collections.abc import Sequence
from math import prod

from compiler_core.codegen.c.body import Body, Scope, affine, element_type
from compiler_core.codegen.c.types import register_type
from compiler_core.ir.types import strides
from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect
from compiler_core.kernel.kernel import operands, roots
from compiler_core.schedule.cpu.schedule import Kept


class Keeper:
    """Tile values that the first phase that computes them stores for later phases."""

    def __init__(self, body: Body, keep: Sequence[Kept]) -> None:
        self._body, self._filled, self._new = body, set[str](), set[str]()
        axes = body.kernel.reduce
        extents = tuple(a.extent for a in axes)
        steps = zip(axes, strides(extents), strict=True)
        at = affine(Affine(tuple((a.name, s) for a, s in steps)), {})
        self._places: dict[str, str] = {}
        for kept in keep:
            name, place = kept.name, kept.place
            self._places[name] = f"{name}_row[{at}]"
            if place:
                self._places[name] = f"{place.buffer}[{affine(place.access, {})}]"
            else:
                kind = element_type(body.kernel.dtype_of(name))
                body.w.line(f"{kind} {name}_row[{max(1, prod(extents))}];")

    @property
    def filled(self) -> frozenset[str]:
        """The values that earlier phases have stored."""
        return frozenset(self._filled)

    def fetch(self, effects: Sequence[Effect], scope: Scope) -> None:
        """Defines, at the start of a phase's loop, the values that it needs and earlier phases
        kept."""
        body, wanted = self._body, self._wanted(effects)
        for name in self._places:
            if name in wanted and name in self._filled:
                d = body.kernel.definitions[name]
                body.w.line(f"{register_type(d.dtype)} {name} = {self._places[name]};", d.origins)
                scope[name] = name

    def _wanted(self, effects: Sequence[Effect]) -> set[str]:
        """The kept values that `effects` depend on other than through another kept value."""
        found: set[str] = set()
        stack = list(roots(*effects))
        while stack:
            name = stack.pop()
            if name in found or name not in self._body.kernel.definitions:
                continue
            found.add(name)
            if name not in self._filled:
                stack.extend(operands(self._body.kernel.definitions[name]))
        return found

    def fill(self, scope: Scope) -> None:
        """Stores the values of `scope` that are to be kept and are not yet."""
        for name, place in self._places.items():
            if name in scope and name not in self._filled and f"{name} kept" not in scope:
                d = self._body.kernel.definitions[name]
                self._body.w.line(f"{place} = {scope[name]};", d.origins)
                scope[f"{name} kept"] = place
                self._new.add(name)

    def phase_ends(self) -> None:
        """Lets later phases fetch what the phase that ends here has stored."""
        self._filled |= self._new
