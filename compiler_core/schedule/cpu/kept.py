"""Which values at each point of the reduce axes are kept from one phase to the next."""

from compiler_core.ir import ops
from compiler_core.ir.sizes import symbols
from compiler_core.kernel.effects import Phase, Store
from compiler_core.kernel.kernel import Compute, Kernel, Load, operands, roots
from compiler_core.schedule.cpu.schedule import Kept, register

# Rows of kept values stay in the second-level cache, and shorter ones in the first.
KEEP_BYTES = 256 * 1024
KEEP_FIRST_LEVEL_BYTES = 16 * 1024
# A value is kept for later stages where computing it again costs more than a load and a store.
KEEP_COST = 4


def kept(kernel: Kernel, length: int) -> tuple[Kept, ...]:
    """The tile values worth keeping: needed in two phases, costly, and together small enough,
    unless an output buffer can hold them."""
    found: list[Kept] = []
    size = 0
    # An array on the stack has a length that is a number.
    fixed = not any(symbols(a.extent) for a in kernel.reduce)
    for name in _shared(kernel):
        if _cost(kernel, name, [k.name for k in found]) < KEEP_COST:
            continue
        own = length * register(kernel.dtype_of(name)).bytes
        place = _place(kernel, name) if own > KEEP_FIRST_LEVEL_BYTES or not fixed else None
        if place and all(k.place is None or k.place.buffer != place.buffer for k in found):
            found.append(Kept(name, place))
        elif fixed and size + own <= KEEP_BYTES:
            size += own
            found.append(Kept(name))
    return tuple(found)


def kept_in_outputs(kernel: Kernel, points: int) -> tuple[Kept, ...]:
    """The tile values that a block of `points` points keeps in output buffers: needed in two
    phases, costly, and still in the second-level cache when they are read again."""
    if any(isinstance(d, Load) and d.mask for d in kernel.defs) or kernel.scans:
        return ()
    found: list[Kept] = []
    for name in _shared(kernel):
        fits = points * register(kernel.dtype_of(name)).bytes <= KEEP_BYTES
        place = _place(kernel, name) if fits and _cost(kernel, name, []) >= KEEP_COST else None
        if place and all(k.place and k.place.buffer != place.buffer for k in found):
            found.append(Kept(name, place))
    return tuple(found)


def _place(kernel: Kernel, name: str) -> Store | None:
    """A store of the last phase that depends on `name`, has its type, and writes at each of its
    points."""
    using = [s for s in kernel.phases if name in _needed(kernel, s)]
    dtype = register(kernel.dtype_of(name))
    axes = {a.name for a in kernel.axes}
    types = {b.name: b.type.dtype for b in kernel.buffers}
    stores = (e for e in using[-1].effects if isinstance(e, Store) and types[e.buffer] is dtype)
    whole = (e for e in stores if {axis for axis, _ in e.access.terms} == axes)
    return next(whole, None) if dtype.is_float else None


def _needed(kernel: Kernel, phase: Phase) -> set[str]:
    return {d.name for d in kernel.needed(roots(*phase.effects))}


def _shared(kernel: Kernel) -> list[str]:
    """Tile values in order of definition that two phases need, other than through another shared
    value."""
    phases = [kernel.needed(roots(*s.effects)) for s in kernel.phases]
    seen: dict[str, int] = {}
    for needed in phases:
        for d in needed:
            if d.name in kernel.tile_values and isinstance(d, Compute | Load):
                seen[d.name] = seen.get(d.name, 0) + 1
    shared = {name for name, count in seen.items() if count > 1}
    inner = {
        a
        for name in shared
        for a in operands(kernel.definitions[name])
        if a in shared and seen[a] == seen[name]
    }
    return [d.name for d in kernel.defs if d.name in shared - inner]


def _cost(kernel: Kernel, name: str, known: list[str]) -> int:
    defs = kernel.needed((name,), known)
    return sum(
        ops.OPS[d.op].cost for d in defs if isinstance(d, Compute) and d.name in kernel.tile_values
    )
