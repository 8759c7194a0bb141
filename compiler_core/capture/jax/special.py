"""JAX's special functions, and those of bits."""

from collections.abc import Callable

from compiler_core.capture.jax.views import JaxRule, Params
from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.capture.special import bessel, bits, gamma
from compiler_core.ir.graph import Value


def _formula(rule: Callable[..., Value]) -> JaxRule:
    """A formula of the operands, computed in at least f32."""

    def lowered(ctx: LoweringContext, p: Params, *xs: Operand) -> Value:
        return ctx.downcast(rule(ctx, *ctx.upcast(*xs)))

    return lowered


def _digamma(ctx: LoweringContext, x: Value) -> Value:
    """XLA has no infinity at zero."""
    return ctx.select(ctx.compare(x, 0.0, "EQ"), float("nan"), gamma.digamma(ctx, x))


TABLE: dict[str, JaxRule] = {
    "lgamma": _formula(gamma.lgamma),
    "digamma": _formula(_digamma),
    "polygamma": _formula(gamma.polygamma_of),
    "zeta": _formula(gamma.zeta),
    "bessel_i0e": _formula(bessel.i0e),
    "bessel_i1e": _formula(bessel.i1e),
    "nextafter": lambda ctx, p, x, y: bits.nextafter(ctx, *ctx.operands(x, y)),
    "clz": lambda ctx, p, x: bits.leading_zeros(ctx, x),
    "population_count": lambda ctx, p, x: bits.population_count(ctx, x),
}
