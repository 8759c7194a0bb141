"""torch's special functions as formulas, near torch's own, in both precisions and at the edges."""

import pytest
import torch
from torch import special

from tests.compiler_core.capture.oracle import agrees, captured, library_calls

pytestmark = pytest.mark.cpu

DENORMAL = [1e-45, -1e-45, 1e-40, -1e-40]
EDGES = torch.tensor([0.0, -0.0, 0.5, 1, 2, 3, 13, -1, -2.5, 1e-3, 1e-30, 1e5, *DENORMAL])
X = torch.cat([torch.linspace(-9.3, 30, 60), EDGES, torch.tensor([torch.inf, torch.nan])])
# torch's own are infinite or NaN at denormal numbers where the functions are not.
NORMAL = X[(X == 0) | ~(X.abs() < 1e-38)]
POSITIVE = torch.cat([torch.linspace(0.1, 30, 60), torch.tensor([1e-3, 1e3, torch.nan])])

FUNCTIONS = {
    "lgamma": (torch.lgamma, X),
    "digamma": (torch.digamma, X),
    **{f"polygamma of {n}": (lambda x, n=n: torch.polygamma(n, x), POSITIVE) for n in range(5)},
    "polygamma of negative numbers": (lambda x: torch.polygamma(2, x), torch.tensor([-2.3, -9.5])),
    "mvlgamma": (lambda x: torch.mvlgamma(x + 2, 3), POSITIVE),
    "zeta": (lambda x: special.zeta(x + 1.5, x), POSITIVE),
    "i0": (torch.i0, X),
    "i0e": (special.i0e, X),
    "i1": (special.i1, X),
    "i1e": (special.i1e, X),
    "modified_bessel_k0": (special.modified_bessel_k0, X),
    "modified_bessel_k1": (special.modified_bessel_k1, NORMAL),
    "scaled_modified_bessel_k0": (special.scaled_modified_bessel_k0, NORMAL),
    "scaled_modified_bessel_k1": (special.scaled_modified_bessel_k1, NORMAL),
    "bessel_j0": (special.bessel_j0, POSITIVE),
    "bessel_j1": (special.bessel_j1, POSITIVE),
    "bessel_y0": (special.bessel_y0, POSITIVE),
    "bessel_y1": (special.bessel_y1, POSITIVE),
    "spherical_bessel_j0": (special.spherical_bessel_j0, X),
    "airy_ai": (special.airy_ai, X),
    "erfcx": (special.erfcx, POSITIVE),
    "ndtri": (special.ndtri, torch.linspace(0, 1, 41)),
    "log_ndtr": (special.log_ndtr, X),
    "nextafter": (lambda x: torch.nextafter(x, x.flip(0)), X),
    "frexp": (torch.frexp, X),
}
# torch leaves open what a NaN gives.
NUMBERS = POSITIVE[~POSITIVE.isnan()]
ORDERS = torch.arange(len(NUMBERS)) % 23 - 1.0
POLYNOMIALS = [
    *(f"{prefix}chebyshev_polynomial_{kind}" for prefix in ("", "shifted_") for kind in "tuvw"),
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
    "legendre_polynomial_p",
]  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name, dtype):
    function, x = FUNCTIONS[name]
    assert library_calls(agrees(captured("torch", function, x.to(dtype)))) == []


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomial_of_an_order_for_each_element(name):
    function = getattr(special, name)
    result = captured("torch", lambda x: function(x / 30, ORDERS.to(x.dtype)), NUMBERS.double())
    assert library_calls(agrees(result)) == []
