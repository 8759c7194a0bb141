"""A plan with symbolic sizes, specialised to one call: every size an int, every buffer placed.

Kernels are unchanged, since they were printed and compiled once, and take the sizes as arguments.
Library calls, buffer shapes and the memory plan are those of the call.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

from compiler_core.errors import MeasureError
from compiler_core.ir.convolution import Convolution
from compiler_core.ir.graph import Operation
from compiler_core.ir.sizes import Size, Symbol, evaluate, solve
from compiler_core.ir.substitute import operation_at, type_at
from compiler_core.ir.types import TensorType
from compiler_core.kernel.kernel import BufferParam
from compiler_core.plan.convolution import ConvolutionStep, Operand
from compiler_core.plan.memory import place
from compiler_core.plan.plan import Plan
from compiler_core.plan.side import moments

Binding = Mapping[Symbol, int]
Part = TypeVar("Part")


def plan_at(plan: Plan, values: Binding) -> Plan:
    """The plan for the sizes of one call. Raises KeyError for a symbol without a value."""
    launches = tuple(replace(x, step=_fields_at(x.step, values)) for x in plan.launches)
    buffers = {name: type_at(type_, values) for name, type_ in plan.buffers.items()}
    # How large the workspace of a loop is follows from what its plans place in it.
    buffers |= {b.name: b.type for x in launches for b in x.step.scratch}
    placements, arena = place(
        [x.step for x in launches], buffers, plan.inputs, plan.outputs, plan.origins,
        moments(launches),
    )  # fmt: skip
    types = tuple(type_at(t, values) for t in plan.output_types)
    return replace(
        plan, launches=launches, buffers=buffers, output_types=types,
        placements=placements, arena_bytes=arena,
    )  # fmt: skip


def bind(plan: Plan, shapes: Iterable[Sequence[int]]) -> dict[Symbol, int]:
    """The values of the symbols, from the shapes of the call's inputs in order. Raises MeasureError
    for shapes that the plan does not support."""
    declared = [plan.buffers[name].shape for name in plan.inputs]
    given = list(shapes)
    if len(given) != len(declared):
        raise MeasureError(f"{plan.name} takes {len(declared)} inputs, not {len(given)}")
    for name, wanted, shape in zip(plan.inputs, declared, given, strict=True):
        if len(wanted) != len(shape):
            type_ = plan.buffers[name]
            raise MeasureError(
                f"input {name} is {list(shape)}, the program was compiled for {type_}"
            )
    found = solve(zip(declared, given, strict=True))
    if isinstance(found, str):
        raise MeasureError(found)
    return found


def _fields_at(step: Part, values: Binding) -> Part:
    instance: Any = step
    found = {f.name: _at(getattr(step, f.name), values) for f in fields(instance)}
    result: Part = replace(instance, **found)
    return result


def _at(value: Any, values: Binding) -> Any:
    match value:
        case Size():
            return evaluate(value, values)
        case Plan():
            return plan_at(value, values)
        case Operation():
            return operation_at(value, values)
        case TensorType():
            return type_at(value, values)
        case BufferParam():
            return replace(value, type=type_at(value.type, values))
        case Convolution() | Operand() | ConvolutionStep():
            return _fields_at(value, values)
        case tuple():
            return tuple(_at(x, values) for x in value)
    return value
