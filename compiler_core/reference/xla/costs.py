"""What each instruction costs by XLA's own analysis, which is of whole modules: each instruction is
cut out of the text, with what it calls, as the only instruction of a module of its own."""

from collections.abc import Iterator
from dataclasses import dataclass

from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.private import cost_of


@dataclass(frozen=True)
class Cost:
    """Floating-point operations, transcendental functions and bytes accessed; None where XLA does
    not say, as for libraries unknown to it."""

    flops: int | None = None
    transcendentals: int | None = None
    bytes: int | None = None


def cost(unit: hlo.Instruction, module: hlo.Module) -> Cost:
    """What one execution of an instruction costs."""
    analysis = cost_of(cut_out(unit, module))
    if not analysis:
        return Cost()
    numbers = (analysis.get(key, 0.0) for key in ("flops", "transcendentals", "bytes accessed"))
    return Cost(*(int(n) if n >= 0 else None for n in numbers))


def cut_out(unit: hlo.Instruction, module: hlo.Module) -> str:
    """The text of a module that has only this instruction, with its operands as parameters."""
    parts = [f"  {line}" for line in _parameters(unit, module)]
    parts.append(f"  ROOT %{unit.name} = {unit.type} {unit.rest}")
    called = "\n".join(_called(unit, module, set()))
    return "\n".join(["HloModule cut", "", called, "", "ENTRY %cut {", *parts, "}", ""])


def _parameters(unit: hlo.Instruction, module: hlo.Module) -> Iterator[str]:
    for number, name in enumerate(dict.fromkeys(unit.operands)):
        operand = module.named(name)
        type_ = operand.type if operand else "f32[]"
        yield f"%{name} = {type_} parameter({number})"


def _called(unit: hlo.Instruction, module: hlo.Module, met: set[str]) -> Iterator[str]:
    """The computations that it calls, those that they call first."""
    for name in unit.called:
        inner = module.computations.get(name)
        if inner is None or name in met:
            continue
        met.add(name)
        for each in inner.instructions:
            yield from _called(each, module, met)
        yield from (hlo.without_metadata(line) for line in module.lines[slice(*inner.lines)])
        yield ""
