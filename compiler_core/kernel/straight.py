"""Computed indices that are affine in the axes: the frames of a signal lie at 128 * i + j.

torch.Tensor.unfold, and indexing with sums and products of `arange`, arrive here as gathers. A
gather loads element by element; an affine access is vectorised.
"""

from collections.abc import Callable

from compiler_core.ir.ranges import of_type
from compiler_core.ir.sizes import is_proved
from compiler_core.ir.types import DType
from compiler_core.kernel import affine
from compiler_core.kernel.access import Affine
from compiler_core.kernel.affine import Extents
from compiler_core.kernel.kernel import Compute, Const, Def, Index

Definition = Callable[[str], Def | None]
# The index of a deeper expression would be longer than its definitions.
_DEEPEST = 8


def straight(
    name: str, definition: Definition, extents: Extents, depth: int = _DEEPEST
) -> Affine | None:
    """The integer value `name` as an affine expression in the axes. None if it depends on anything
    but axes and constants, if two axes are multiplied, if an intermediate result may overflow its
    integer type, or if more than `depth` operations are nested."""
    d = definition(name)
    if d is None or not d.dtype.is_integer or not depth:
        return None
    match d:
        case Const() if isinstance(d.value, int):
            return Affine((), d.value)
        case Index() if not d.access.indirect:
            return d.access
        case Compute() if d.op in _RULES:
            read = [straight(a, definition, extents, depth - 1) for a in d.args]
            known = [x for x in read if x is not None]
            found = _RULES[d.op](*known) if len(known) == len(read) else None
            return found if found is not None and _fits(found, d.dtype, extents) else None
    return None


def _product(a: Affine, b: Affine) -> Affine | None:
    if a.terms and b.terms:
        return None
    return affine.scale(a, b.offset) if a.terms else affine.scale(b, a.offset)


def _fits(index: Affine, dtype: DType, extents: Extents) -> bool:
    """Whether the type holds it everywhere."""
    least, most = of_type(dtype)

    def holds() -> bool:
        low, high = affine.bounds(index, extents)
        return low >= least and high <= most

    return is_proved(holds)


_RULES: dict[str, Callable[..., Affine | None]] = {
    "add": affine.add,
    "subtract": lambda a, b: affine.add(a, affine.scale(b, -1)),
    "multiply": _product,
    "convert": lambda a: a,
}
