"""What the reach of native code is measured over: not linear algebra, Fourier transforms, sparse
tensors, special functions of complex numbers, nor uninitialised memory."""

from conformance.opinfo import UNINITIALISED

_PREFIXES = ("linalg_", "fft_", "sparse_")
_TORCH = frozenset({
    "addmm_decomposed", "cholesky", "cholesky_inverse", "cholesky_solve", "geqrf", "inverse",
    "logdet", "lu", "lu_solve", "lu_unpack", "matrix_exp", "nn_functional_scaled_mm",
    "norm_nuc", "ormqr", "pca_lowrank", "pinverse", "qr", "slogdet", "svd", "svd_lowrank",
    "symeig", "triangular_solve", "istft", "stft", "to_sparse",
})  # fmt: skip
_HARNESSES = frozenset({
    "cholesky", "custom_linear_solve", "eig", "eigh", "fft", "householder_product", "lu", "qr",
    "schur", "svd", "triangular_solve", "tridiagonal_solve",
})  # fmt: skip
_COMPLEX_SPECIAL = frozenset({
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "exp", "exp2",
    "expm1", "log", "log10", "log1p", "log2", "pow", "sigmoid", "sin", "sinc", "sinh", "sqrt",
    "rsqrt", "tan", "tanh",
})  # fmt: skip


def in_reach(part: str, entry: str, variant: str) -> bool:
    """Whether an entry's samples count for the share that is native."""
    name = entry.partition(" ")[0]
    if part == "harness":
        return name not in _HARNESSES
    special = variant.endswith("c64") and (name in _COMPLEX_SPECIAL or "special" in name)
    return not (name.startswith(_PREFIXES) or name in _TORCH | UNINITIALISED or special)
