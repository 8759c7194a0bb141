"""Which rewriters are tried for which kind of entry of the why-list, in this order: the first that
finds its pattern at the entry's line decides."""

import ast
from collections.abc import Mapping, Sequence

from compiler_core.remedy.arrays import arrays, callbacks
from compiler_core.remedy.branches import branches
from compiler_core.remedy.change import Changed, Refused, RemedyRequest, Rewriter
from compiler_core.remedy.compiled import traced, varying
from compiler_core.remedy.mapped import mapped
from compiler_core.remedy.numbers import numbers
from compiler_core.remedy.prints import prints, without_prints
from compiler_core.remedy.scalars import scalars
from compiler_core.remedy.static import static
from compiler_core.remedy.transfers import transfers
from compiler_core.remedy.whiles import whiles
from compiler_core.report import FindingKind, Framework

_TORCH: Mapping[FindingKind, Sequence[Rewriter]] = {
    "graph break": (prints, branches, whiles, arrays, numbers, transfers),
    "host sync": (prints, branches, whiles, arrays, numbers, transfers),
    "failed": (prints, branches, whiles, arrays, numbers),
    "recompile": (varying,),
    "unrolled": (mapped,),
}
_JAX: Mapping[FindingKind, Sequence[Rewriter]] = {
    "failed": (static, branches, whiles),
    "traced again": (scalars, traced),
    "host sync": (without_prints, callbacks),
    "unrolled": (mapped,),
}
_TABLES: Mapping[Framework, Mapping[FindingKind, Sequence[Rewriter]]] = {
    "torch": _TORCH,
    "jax": _JAX,
}


def remedied(request: RemedyRequest) -> Changed | Refused | None:
    """The snippet with the remedy, which is Python, or the reason why it cannot be applied; None
    if no rewriter finds its pattern."""
    for rewriter in _TABLES[request.framework].get(request.finding.kind, ()):
        found = rewriter(request)
        if found is not None:
            return _parsed(found)
    return None


def _parsed(found: Changed | Refused) -> Changed | Refused:
    """Nothing is tried that is no Python."""
    try:
        ast.parse(getattr(found, "source", ""))
    except SyntaxError:
        return Refused("the text would be no Python with the change")
    return found
