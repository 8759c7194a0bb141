"""Definitions that need no line of their own in Triton, because they are written where they are
used."""

from compiler_core.codegen.triton import ops
from compiler_core.ir.types import BF16, F16, F32, I32, U32, U64
from compiler_core.kernel.effects import Effect, Store
from compiler_core.kernel.kernel import Compute, Const, Def, Kernel, operands, roots


def _users(kernel: Kernel) -> dict[str, list[Def | Effect]]:
    users: dict[str, list[Def | Effect]] = {d.name: [] for d in kernel.defs}
    for d in kernel.defs:
        for a in operands(d):
            users.setdefault(a, []).append(d)
    for phase in kernel.phases:
        for e in phase.effects:
            for a in roots(e):
                users.setdefault(a, []).append(e)
    return users


def inline_constants(kernel: Kernel) -> dict[str, str]:
    """The texts of constants that are written where they are used: those whose type Triton infers
    there."""
    users = _users(kernel)

    def takes(user: Def | Effect) -> bool:
        """Whether something beside the constant says what it is."""
        if not isinstance(user, Compute):
            # What combines otherwise may be a helper, which asks its value for the type.
            return isinstance(user, Store) and user.mode in ("set", "add")
        return not all(isinstance(kernel.definitions.get(a), Const) for a in user.args)

    def plain(d: Const) -> bool:
        small = d.dtype in (U32, U64) and 0 <= d.value < 2**31
        return (small or d.dtype in (F32, F16, BF16, I32)) and all(map(takes, users[d.name]))

    return {d.name: ops.literal(d.value) for d in kernel.defs if isinstance(d, Const) and plain(d)}


def passed_on(kernel: Kernel) -> dict[str, str]:
    """Conversions that are omitted: between types with the same register type, if the rounded value
    is only read by stores, which round."""
    users = _users(kernel)
    result = {}
    for d in kernel.defs:
        if not (isinstance(d, Compute) and d.op == "convert"):
            continue
        source = kernel.dtype_of(d.args[0])
        if ops.register(source) is not ops.register(d.dtype):
            continue
        rounds = d.dtype in (F16, BF16) and source is not d.dtype
        if not rounds or all(isinstance(u, Store) for u in users[d.name]):
            result[d.name] = d.args[0]
    return result
