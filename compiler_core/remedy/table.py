"""Which rewriters are tried for which kind of entry of the why-list, in this order: the first that
finds its pattern at the entry's line answers."""

from collections.abc import Mapping, Sequence

from compiler_core.remedy.arrays import arrays, callbacks
from compiler_core.remedy.change import Asked, Changed, Refused, Rewriter
from compiler_core.remedy.compiled import traced, varying
from compiler_core.remedy.loops import mapped
from compiler_core.remedy.numbers import numbers
from compiler_core.remedy.prints import prints, without_prints
from compiler_core.remedy.transfers import transfers
from compiler_core.remedy.ways import ways
from compiler_core.report import FindingKind, Framework

_TORCH: Mapping[FindingKind, Sequence[Rewriter]] = {
    "graph break": (prints, ways, arrays, numbers, transfers),
    "host sync": (prints, ways, arrays, numbers, transfers),
    "failed": (prints, ways, arrays, numbers),
    "recompile": (varying,),
    "unrolled": (mapped,),
}
_JAX: Mapping[FindingKind, Sequence[Rewriter]] = {
    "failed": (ways,),
    "traced again": (traced,),
    "host sync": (without_prints, callbacks),
    "unrolled": (mapped,),
}
_TABLES: Mapping[Framework, Mapping[FindingKind, Sequence[Rewriter]]] = {
    "torch": _TORCH,
    "jax": _JAX,
}


def remedied(asked: Asked) -> Changed | Refused | None:
    """The snippet with the remedy, or why not; None if no rewriter knows such an entry."""
    for rewriter in _TABLES[asked.framework].get(asked.finding.kind, ()):
        found = rewriter(asked)
        if found is not None:
            return found
    return None
