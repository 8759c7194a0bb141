"""The units of execution: the instructions outside of fusions, each with the instructions in it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import ModulePlaces

# Instructions that run nothing: parameters, constants, and other views of arrays.
_NOTHING = frozenset(("parameter", "constant", "tuple", "get-tuple-element", "bitcast"))
_LIBRARIES = {"ynn_fusion": "YNN", "onednn_fusion": "oneDNN"}
# Instructions that XLA runs by a kernel of their own or a library.
_ALONE = {
    "dot": "a product", "convolution": "a convolution", "custom-call": "a call of a library",
    "sort": "a sort", "fft": "a Fourier transform", "while": "a loop",
    "conditional": "a branch", "call": "a call", "scatter": "a scatter", "copy": "a copy",
    "all-reduce": "a sum over devices", "all-gather": "a gathering from devices",
    "reduce-scatter": "a sum over devices", "all-to-all": "an exchange between devices",
    "collective-permute": "an exchange between devices",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Leaf:
    """An instruction that computes something, together with the unit in which it runs."""

    instruction: hlo.Instruction
    unit: hlo.Instruction
    ids: tuple[int, ...]
    operands: tuple["Leaf", ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether captured operations are known for it."""
        return bool(self.ids) and self.instruction.opcode not in _NOTHING

    def sources(self) -> list["Leaf"]:
        """The leaves with known operations that its operands come from, looking through leaves
        without known operations."""
        found: dict[int, Leaf] = {}
        waiting = list(self.operands)
        while waiting:
            leaf = waiting.pop()
            if id(leaf) not in found:
                found[id(leaf)] = leaf
                waiting += () if leaf.is_known else leaf.operands
        return [leaf for leaf in found.values() if leaf.is_known]


@dataclass
class _Flat:
    """The leaves of a computation and of the fusions in it."""

    places: ModulePlaces
    leaves: list[Leaf] = field(default_factory=list)
    _results: dict[str, tuple[Leaf, ...]] = field(default_factory=dict)

    def run(self, computation: hlo.Computation) -> None:
        for each in computation.instructions:
            given = [self._results.get(name, ()) for name in each.operands]
            self._results[each.name] = self._of(each, each, given)

    def _of(
        self, each: hlo.Instruction, unit: hlo.Instruction, given: list[tuple[Leaf, ...]]
    ) -> tuple[Leaf, ...]:
        """The values of an instruction, one for each element of a tuple."""
        if each.opcode == "fusion" and each.called:
            inner = self.places.module.computations.get(each.called[0])
            if inner is not None:
                return self._inside(inner, unit, given)
        if each.opcode == "tuple":
            return tuple(leaf for values in given for leaf in values[:1])
        if each.opcode == "get-tuple-element" and given and len(given[0]) > (each.number or 0):
            return (given[0][each.number or 0],)
        operands = tuple(leaf for values in given for leaf in values)
        leaf = Leaf(each, unit, tuple(self.places.ids(each)), operands)
        self.leaves.append(leaf)
        return (leaf,)

    def _inside(
        self, inner: hlo.Computation, unit: hlo.Instruction, given: list[tuple[Leaf, ...]]
    ) -> tuple[Leaf, ...]:
        known: dict[str, tuple[Leaf, ...]] = {}
        for each in inner.instructions:
            if each.opcode == "parameter" and (each.number or 0) < len(given):
                known[each.name] = given[each.number or 0]
            else:
                own = [known.get(name, ()) for name in each.operands]
                known[each.name] = self._of(each, unit, own)
        return known[inner.root.name]


def leaves(places: ModulePlaces) -> list[Leaf]:
    """The leaves of all computations that run outside of fusions, callees before callers."""
    flat = _Flat(places)
    for computation in outside(places.module):
        flat.run(computation)
    return flat.leaves


def outside(module: hlo.Module) -> Iterator[hlo.Computation]:
    """The computations whose instructions are executed one by one: not those of fusions, nor those
    applied to elements."""
    inner = {
        name
        for i in module.instruction_at.values()
        if i.opcode not in _CALLERS
        for name in i.called
    }
    return (c for c in module.computations.values() if c.name not in inner)


_CALLERS = frozenset(("while", "conditional", "call", "async-start"))


def units(module: hlo.Module) -> Iterator[hlo.Instruction]:
    """The instructions that are executed one by one."""
    for computation in outside(module):
        yield from (i for i in computation.instructions if i.opcode not in _NOTHING)


def members(unit: hlo.Instruction, module: hlo.Module) -> list[hlo.Instruction]:
    """The instructions that a fusion computes; of any other instruction, itself."""
    inner = module.computations.get(unit.called[0]) if unit.called else None
    if unit.opcode != "fusion" or inner is None:
        return [unit]
    return [i for i in inner.instructions if i.opcode not in _NOTHING]


def described(unit: hlo.Instruction, module: hlo.Module) -> str:
    """A unit in words: "a loop fusion that ends in a reduction", "a product"."""
    if unit.opcode != "fusion":
        return _ALONE.get(unit.opcode, f"a kernel of one instruction ({unit.opcode})")
    if unit.fusion_kind in _LIBRARIES:
        return f"a call of the library {_LIBRARIES[unit.fusion_kind]}"
    kind = unit.fusion_kind.removeprefix("k").lower()
    inner = module.computations.get(unit.called[0]) if unit.called else None
    end = inner.root.opcode if inner else ""
    article = "an" if kind[:1] in "aeiou" else "a"
    return f"{article} {kind} fusion" + (f" that ends in {_ENDS[end]}" if end in _ENDS else "")


def is_alone(unit: hlo.Instruction) -> bool:
    """Whether it is a kernel or a library of XLA's own, into which nothing is fused."""
    return unit.opcode in _ALONE or unit.fusion_kind in _LIBRARIES


_ENDS = {
    "reduce": "a reduction",
    "reduce-window": "a reduction",
    "scatter": "a scatter",
    "copy": "a copy",
    "dynamic-update-slice": "a write in place",
}
