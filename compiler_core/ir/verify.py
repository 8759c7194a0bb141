"""The verifier: what must hold for every graph between two passes, nested regions included.

1. every operand is defined exactly once, before its use, in the same region;
2. every operation has the operands and attributes of its row in ir/ops/, and its result types are
   those of its type rule;
3. ids are unique in the whole graph;
4. what a symbolic size is in the captured call is in its range.

A failure shows the lines around the offending operation.
"""

from compiler_core.errors import REPORT_IT, VerifyError
from compiler_core.ir.graph import AnyRegion, Operation, Region, Value
from compiler_core.ir.infer import infer
from compiler_core.ir.sizes import symbols
from compiler_core.ir.text import node_text

_CONTEXT = 10


def verify(graph: AnyRegion, after: str = "capture") -> AnyRegion:
    """Returns `graph`, or a region of one. Raises VerifyError naming `after`, the stage that
    produced it."""
    _verify(graph, after, set())
    return graph


def _verify(region: Region, after: str, taken: set[int]) -> None:
    defined: set[Value] = set()
    for value in region.inputs:
        if value.id in taken:
            raise _invalid(after, f"{value} is defined twice")
        wrong = [s.fault for dim in value.type.shape for s in symbols(dim) if s.fault]
        if wrong:
            raise _invalid(after, f"{value}: {wrong[0]}")
        taken.add(value.id)
        defined.add(value)
    for operation in region.operations:
        fault = _fault(operation, defined, taken)
        if fault:
            raise _invalid(after, f"{fault}\n{_around(region, operation)}")
        for inner in operation.regions:
            _verify(inner, after, taken)
        taken |= {value.id for value in operation.results}
        defined |= set(operation.results)
    for output in region.outputs:
        if output not in defined:
            raise _invalid(after, f"output {output} is not defined")


def _invalid(after: str, fault: str) -> VerifyError:
    return VerifyError(f"invalid graph after {after}: {fault}", remedy=REPORT_IT)


def _fault(operation: Operation, defined: set[Value], taken: set[int]) -> str | None:
    for value in operation.results:
        if value.id in taken:
            return f"{value} is defined twice"
    for operand in operation.operands:
        if operand not in defined:
            return f"{operation.results[0]} uses {operand} before it is defined"
    # Shape, dtype and type are rule inputs that a built operation keeps in its types only.
    first = operation.types[0]
    implied = {"shape": first.shape, "dtype": first.dtype, "type": first, "types": operation.types}
    attrs = dict(operation.attrs) | implied
    try:
        operands = tuple(x.type for x in operation.operands)
        expected = infer(operation.op, operands, attrs, operation.regions)
    except VerifyError as error:
        return error.message
    if expected == operation.types:
        return None
    has, gives = (", ".join(map(str, types)) for types in (operation.types, expected))
    return f"{operation.results[0]} is {has}, its operands give {gives}"


def _around(region: Region, operation: Operation) -> str:
    """The lines around the fault, a caret at it."""
    at = region.operations.index(operation)
    shown = region.operations[max(0, at - _CONTEXT) : at + _CONTEXT + 1]
    return "\n".join(f"{'>' if o is operation else ' '} {node_text(o.results[0])}" for o in shown)
