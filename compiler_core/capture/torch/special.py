"""ATen's special functions."""

import math
from collections.abc import Callable

from compiler_core.capture.lowering_context import LoweringContext, Operand
from compiler_core.capture.special import bessel, bits, gamma, incomplete, normal, orthogonal, whole
from compiler_core.capture.torch.pointwise import TorchRule, composite
from compiler_core.ir.graph import Value
from compiler_core.ir.types import I64


def _polygamma(ctx: LoweringContext, order: int, x: Value) -> Value:
    return ctx.downcast(gamma.polygamma(ctx, order, *ctx.upcast(x)))


def _zeta(ctx: LoweringContext, s: Operand, q: Operand) -> Value:
    return ctx.downcast(gamma.zeta(ctx, *ctx.upcast(s, q)))


def _mvlgamma(ctx: LoweringContext, x: Value, p: int) -> Value:
    """Of several variables: a product of gamma functions."""
    (x,) = ctx.upcast(x)
    total: Value | None = None
    for j in range(p):
        one = gamma.lgamma(ctx, ctx.sub(x, j / 2))
        total = one if total is None else ctx.add(total, one)
    assert total is not None
    return ctx.downcast(ctx.add(total, p * (p - 1) / 4 * math.log(math.pi)))


def _polynomial(
    formula: Callable[[LoweringContext, Value, Value], Value], *, shifted: bool = False
) -> TorchRule:
    """Of an order that is a number of any type; shifted, from [-1, 1] to [0, 1]."""

    def rule(ctx: LoweringContext, x: Operand, order: Operand) -> Value:
        at, n = ctx.upcast(x, order)
        at = ctx.sub(ctx.add(at, at), 1.0) if shifted else at
        return ctx.downcast(formula(ctx, at, ctx.b.convert(n, I64)))

    return rule


def _nextafter(ctx: LoweringContext, x: Value, y: Value) -> Value:
    return bits.nextafter(ctx, *ctx.operands(x, y))


def _frexp(ctx: LoweringContext, x: Value) -> tuple[Value, Value]:
    mantissa, exponent = bits.frexp(ctx, x)
    return mantissa, ctx.b.convert(exponent, ctx.types[1].dtype)


def _kinds(name: str, low: int, shifted: bool) -> dict[str, TorchRule]:
    kinds = {"t": orthogonal.first_kind(min(low, 6)), "u": orthogonal.second_kind(low),
             "v": orthogonal.third_kind(low), "w": orthogonal.fourth_kind(low)}  # fmt: skip
    return {f"{name}_{k}": _polynomial(kind, shifted=shifted) for k, kind in kinds.items()}


TABLE: dict[str, TorchRule] = {
    "lgamma": composite(gamma.lgamma),
    "digamma": composite(gamma.digamma),
    "polygamma": _polygamma,
    "special_zeta": _zeta,
    "mvlgamma": _mvlgamma,
    "igamma": lambda ctx, a, x: ctx.downcast(incomplete.igamma(ctx, *ctx.upcast(a, x))),
    "igammac": lambda ctx, a, x: ctx.downcast(incomplete.igammac(ctx, *ctx.upcast(a, x))),
    "i0": composite(bessel.i0),
    "special_i0e": composite(bessel.i0e),
    "special_i1": composite(bessel.i1),
    "special_i1e": composite(bessel.i1e),
    "special_modified_bessel_i0": composite(bessel.i0),
    "special_modified_bessel_i1": composite(bessel.i1),
    "special_modified_bessel_k0": composite(bessel.k0),
    "special_modified_bessel_k1": composite(bessel.k1),
    "special_scaled_modified_bessel_k0": composite(bessel.scaled_k0),
    "special_scaled_modified_bessel_k1": composite(bessel.scaled_k1),
    "special_bessel_j0": composite(bessel.j0),
    "special_bessel_j1": composite(bessel.j1),
    "special_bessel_y0": composite(bessel.y0),
    "special_bessel_y1": composite(bessel.y1),
    "special_spherical_bessel_j0": composite(bessel.spherical_j0),
    "special_airy_ai": composite(bessel.airy_ai),
    "special_erfcx": composite(normal.erfcx),
    "special_ndtri": composite(normal.ndtri),
    "special_log_ndtr": composite(normal.log_ndtr),
    **_kinds("special_chebyshev_polynomial", 8, shifted=False),
    **_kinds("special_shifted_chebyshev_polynomial", 6, shifted=True),
    "special_hermite_polynomial_h": _polynomial(orthogonal.hermite(2.0)),
    "special_hermite_polynomial_he": _polynomial(orthogonal.hermite(1.0)),
    "special_laguerre_polynomial_l": _polynomial(orthogonal.laguerre),
    "special_legendre_polynomial_p": _polynomial(orthogonal.legendre),
    "gcd": lambda ctx, x, y: whole.gcd(ctx, *ctx.operands(x, y)),
    "lcm": lambda ctx, x, y: whole.lcm(ctx, *ctx.operands(x, y)),
    "nextafter": _nextafter,
    "frexp.Tensor": _frexp,
}
