"""Renaming values of a kernel: in whatever reads them, the indices and masks of accesses
included."""

from collections.abc import Mapping
from dataclasses import replace

from compiler_core.kernel.access import Affine
from compiler_core.kernel.effects import Effect, Store
from compiler_core.kernel.kernel import Compute, Def, Index, Load, operands

Names = Mapping[str, str]


def renamed(d: Def, names: Names) -> Def:
    """A definition with the values that it defines and reads renamed."""
    if names.keys().isdisjoint((d.name, *operands(d))):
        return d
    own = names.get(d.name, d.name)
    if isinstance(d, Compute):
        return replace(d, name=own, args=tuple(names.get(a, a) for a in d.args))
    if isinstance(d, Load | Index):
        d = replace(d, name=own, access=_values_renamed(d.access, names))
        if isinstance(d, Load) and d.mask:
            d = replace(d, mask=names.get(d.mask, d.mask))
        return d
    return replace(d, name=own)


def reading(effect: Effect, names: Names) -> Effect:
    """An effect with the values that it reads renamed, those of its access and mask included."""
    if not isinstance(effect, Store):
        return replace(effect, args=tuple(names.get(a, a) for a in effect.args))
    mask = names.get(effect.mask, effect.mask) if effect.mask else None
    access = _values_renamed(effect.access, names)
    return replace(effect, value=names.get(effect.value, effect.value), mask=mask, access=access)


def _values_renamed(access: Affine, names: Names) -> Affine:
    values = tuple(replace(x, value=names.get(x.value, x.value)) for x in access.indirect)
    return replace(access, indirect=values)
