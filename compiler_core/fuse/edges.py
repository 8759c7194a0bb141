"""The producer-consumer edges that fusion did not remove: between two kernels, and between a kernel
and an opaque operation, such as a product or a library call."""

from collections.abc import Iterator, Mapping, Sequence

from compiler_core.fuse import reasons
from compiler_core.fuse.group import Group, Refusal
from compiler_core.ir.graph import Value
from compiler_core.kernel.fusion_view import FusionView
from compiler_core.kernel.refusal import FusionRefusal

Refused = Mapping[tuple[Group, Group], FusionRefusal]


def refusals(groups: Sequence[Group], values: FusionView, refused: Refused) -> Iterator[Refusal]:
    """A refusal for each edge that is left. `refused` has the reason for each pair of groups
    (producer, consumer) whose merge was considered."""
    owner = {value: group for group in groups for value in group.members}
    for group in groups:
        for value in sorted(group.reads, key=values.place.__getitem__):
            producer = owner.get(value)
            reader = next(n for n in values.readers[value] if n in group.members)
            if producer is not None:
                yield Refusal(value, reader, refused[producer, group].reason)
            elif values.is_opaque(value):
                yield _beside(value, reader, value)
        for value in group.outputs:
            for reader in values.readers[value]:
                if values.is_opaque(reader):
                    yield _beside(value, reader, reader)


def _beside(value: Value, reader: Value, opaque: Value) -> Refusal:
    return Refusal(value, reader, reasons.no_kernel(opaque), opaque.op in reasons.TEMPLATES)
