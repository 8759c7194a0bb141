"""Programs that have a branch for each platform (`lax.platform_dependent`). Arrays are on the CPU,
so the CPU's branch is lowered, and the graph has no choice."""

from collections.abc import Sequence
from typing import Any

from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext
from compiler_core.ir.graph import Value

_PLATFORM = "cpu"


def of_platform(eqn: Any) -> Any | None:
    """The CPU's branch of a `cond` over platforms, as a closed jaxpr; None for any other
    equation."""
    platforms = eqn.params.get("branches_platforms")
    return None if platforms is None else eqn.params["branches"][_index(platforms)]


def _index(platforms: Sequence[Sequence[str] | None]) -> int:
    """Of the platform's own entry, else of the one for all others."""
    own = [i for i, names in enumerate(platforms) if names is not None and _PLATFORM in names]
    return own[0] if own else platforms.index(None)


def _platform_index(ctx: LoweringContext, p: Params) -> Value:
    return ctx.cast(_index(p["platforms"]), ctx.out.dtype, ctx.out.shape)


def _empty(ctx: LoweringContext, p: Params) -> Value:
    """On a CPU zeros."""
    return ctx.cast(0, ctx.out.dtype, ctx.out.shape)


TABLE: dict[str, JaxRule] = {
    "platform_index": _platform_index, "empty": _empty, "empty2": _empty,
}  # fmt: skip
