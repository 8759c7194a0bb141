"""Why there is a collective: the snippet asks for it, or the partitioner needs it."""

from dataclasses import dataclass

from compiler_core.reference.xla import hlo
from compiler_core.reference.xla.places import ModulePlaces

# The functions by which users call JAX's collective primitives.
_WRITTEN = {
    "psum": "psum", "psum_invariant": "psum", "pmax": "pmax", "pmin": "pmin",
    "all_gather": "all_gather", "all_gather_invariant": "all_gather",
    "reduce_scatter": "psum_scatter", "psum_scatter": "psum_scatter", "ppermute": "ppermute",
    "all_to_all": "all_to_all", "pgather": "pgather", "ragged_all_to_all": "ragged_all_to_all",
    "pbroadcast": "pbroadcast", "unreduced_psum": "psum",
}  # fmt: skip
# Primitives that ask for another sharding of a value, with their functions.
_DIVISIONS = {"sharding_constraint": "with_sharding_constraint", "reshard": "reshard"}
_PRODUCTS = frozenset(("dot_general", "conv_general_dilated", "ragged_dot_general"))

_SUMS = (
    "it sums over a dimension that is divided over {over}: each device has a part of the sum, and "
    "the parts are added"
)
_PARTS = "each device has a part of {what} along {over}, and the parts are combined"
_WHOLE = "{what} needs whole what is divided over {over}: every device is given all of it"
_MOVED = (
    "{what} needs on each device what others along {over} hold: blocks go to where they are used"
)
_TURNED = "the division over {over} goes from one dimension to another for {what}"
_UNASKED = {
    "all-reduce": _PARTS,
    "reduce-scatter": _PARTS,
    "all-gather": _WHOLE,
    "all-to-all": _TURNED,
    "ragged-all-to-all": _TURNED,
}


@dataclass(frozen=True)
class Provenance:
    """Whether the snippet asks for a collective, and why it is there, in one sentence. `line`,
    1-based, is the line that asks for it if that is not the line of the instruction itself."""

    by_snippet: bool
    why: str
    line: int | None = None


def provenance_of(
    kind: str, instruction: hlo.Instruction, over: tuple[str, ...], before: ModulePlaces | None
) -> Provenance:
    """Why the partitioned module has the collective `instruction` of the given kind over these axes
    of the mesh; `before` is the module before partitioning, if it is known."""
    primitive = primitive_of(instruction)
    if primitive in _WRITTEN:
        return Provenance(True, f"the snippet calls {_WRITTEN[primitive]}")
    if primitive in _DIVISIONS:
        return Provenance(True, _another(primitive))
    origins = _origins(instruction, before)
    if before is not None and (constraint := _constraint(origins, before)):
        return Provenance(True, _another(primitive_of(constraint)), before.line(constraint))
    return Provenance(False, _why(kind, primitive, ", ".join(over) or "the devices"))


def _another(primitive: str) -> str:
    return f"{_DIVISIONS[primitive]} asks for another division than the value has there"


def primitive_of(instruction: hlo.Instruction) -> str:
    """The JAX primitive that an instruction belongs to, the last part of "jit(f)/dot_general";
    blank if the partitioner added it without a name."""
    return instruction.op_name.rsplit("/", 1)[-1]


def _origins(instruction: hlo.Instruction, before: ModulePlaces | None) -> list[hlo.Instruction]:
    """The instructions before partitioning with the same name and place in the snippet."""
    if before is None or not instruction.op_name:
        return []
    return [
        each
        for each in before.module.instruction_at.values()
        if (each.op_name, each.frame) == (instruction.op_name, instruction.frame)
    ]


def _constraint(origins: list[hlo.Instruction], before: ModulePlaces) -> hlo.Instruction | None:
    """A sharding constraint that reads one of the values: shardings propagate backwards, so it is
    what asks for theirs."""
    names = {each.name for each in origins}
    readers = (
        each
        for each in before.module.instruction_at.values()
        if primitive_of(each) in _DIVISIONS and names.intersection(each.operands)
    )
    return next(readers, None)


def _why(kind: str, primitive: str, over: str) -> str:
    what = primitive or "what comes next"
    sums = primitive in _PRODUCTS or primitive == "reduce_sum"
    if sums and kind in ("all-reduce", "reduce-scatter"):
        return f"{what}: {_SUMS.format(over=over)}"
    return _UNASKED.get(kind, _MOVED).format(what=what, over=over)
