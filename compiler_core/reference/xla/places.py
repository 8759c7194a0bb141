"""From XLA's metadata of an instruction to captured operations.

A JAX program's instructions have the stack of the call that created them and the name of its
primitive ("jit(f)/jit(relu)/max"). A torch program's are created by our evaluator, which names each
after the captured operations that it implements ("jit(f)/op12/tanh",
compiler_core/ir/eval_jax/scopes.py).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from compiler_core.ir.eval_jax.scopes import ids_in
from compiler_core.reference.source_lines import SourceLines
from compiler_core.reference.xla.frames import Frames, frames_of
from compiler_core.reference.xla.hlo import Instruction, Module
from compiler_core.report import CapturedOp, Framework
from compiler_core.snippet.source import is_own

Stack = Iterable[tuple[str, int, int]]


@dataclass(frozen=True)
class Places:
    """The origins of a program's instructions."""

    framework: Framework
    nodes: tuple[CapturedOp, ...]
    _lines: SourceLines = field(init=False)
    _known: dict[tuple[str, tuple[tuple[str, int, int], ...]], list[int]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_lines", SourceLines(self.nodes))

    def ids(self, op_name: str, stack: Stack) -> list[int]:
        """The captured operations for an operation name and a stack, innermost first."""
        if self.framework == "torch":
            return ids_in(op_name)
        key = op_name, tuple(stack)
        if key not in self._known:
            self._known[key] = self._narrowed(*key)
        return self._known[key]

    def line(self, op_name: str, stack: Stack) -> int | None:
        """The snippet's line for an operation name and a stack."""
        if self.framework == "torch":
            lines = {n.id: n.line for n in self.nodes}
            return next((lines.get(i) for i in self.ids(op_name, stack)), None)
        return next((line for file, line, _ in stack if is_own(file)), None)

    def _narrowed(self, op_name: str, stack: tuple[tuple[str, int, int], ...]) -> list[int]:
        """Those of the innermost place in the snippet, of the same primitive where some are."""
        at = next(((line, column) for file, line, column in stack if is_own(file)), None)
        here = self._lines.at(*at) if at else []
        primitive = op_name.rsplit("/", 1)[-1]
        ops = {n.id: n.op for n in self.nodes} if len(here) > 1 else {}
        return [i for i in here if ops.get(i) == primitive] or here

    def of(self, module: Module) -> "ModulePlaces":
        """The origins of one module's instructions."""
        return ModulePlaces(self, module, _frames(module.head))


@lru_cache(maxsize=4)
def _frames(head: tuple[str, ...]) -> Frames:
    """Most snapshots of a module have the tables of the one before."""
    return frames_of(head)


@dataclass(frozen=True)
class ModulePlaces:
    """The origins of the instructions of one module; those of a fusion are those of all
    instructions in it."""

    places: Places
    module: Module
    frames: Frames

    def ids(self, instruction: Instruction) -> list[int]:
        """The captured operations of an instruction alone."""
        return self.places.ids(instruction.op_name, self.frames.stack(instruction.frame))

    def line(self, instruction: Instruction) -> int | None:
        """The snippet's line of an instruction."""
        origin = self._origin(instruction)
        return self.places.line(origin.op_name, self.frames.stack(origin.frame))

    def all_ids(self, instruction: Instruction) -> list[int]:
        """The captured operations of an instruction and of all instructions in the computations
        that it calls."""
        return sorted(self._within(instruction) or self._within(self._origin(instruction)))

    def _within(self, instruction: Instruction) -> set[int]:
        found = set(self.ids(instruction))
        for name in instruction.called:
            inner = self.module.computations.get(name)
            found.update(*(map(self._within, inner.instructions) if inner else ()))
        return found

    def _origin(self, instruction: Instruction) -> Instruction:
        """What XLA added (a copy, another view) comes from what it is of: the first instruction on
        the way to the first operand that says its place; else itself."""
        found: Instruction | None = instruction
        while found and not found.op_name and found.operands and found.opcode != "tuple":
            found = self.module.named(found.operands[0])
        return found if found and found.op_name else instruction

    def by_line(self) -> list[list[int]]:
        """The line map of the module's text as it is shown."""
        at = self.module.instruction_at
        shown = (at.get(n) if n is not None else None for _, n in self.module.shown)
        return [self.all_ids(i) if i is not None else [] for i in shown]
