"""Random bits in jax.lax."""

from jax import lax

from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_jax.values import Array, SeveralRule
from compiler_core.ir.graph import Operation

_ALGORITHMS = {
    "THREE_FRY": lax.RandomAlgorithm.RNG_THREE_FRY,
    "PHILOX": lax.RandomAlgorithm.RNG_PHILOX,
}


def _rng_bit_generator(operation: Operation, state: Array) -> tuple[Array, ...]:
    _, bits = operation.types
    dtype, algorithm = NUMPY[bits.dtype.name], _ALGORITHMS[operation["algorithm"]]
    return tuple(lax.rng_bit_generator(state, bits.sizes, dtype, algorithm))


SEVERAL: dict[str, SeveralRule] = {"rng_bit_generator": _rng_bit_generator}
