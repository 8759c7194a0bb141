"""Steps that draw random bits from a state."""

from compiler_core.ir.ops.random import ALGORITHMS
from compiler_core.ir.types import DTYPES, U64, TensorType
from conformance.graphs.growing import Growing, Known
from conformance.graphs.table import Step

_STATE = TensorType(U64, (2,))
_BITS = tuple(d for d in DTYPES.values() if d.kind == "uint")


def _rng_bit_generator(g: Growing) -> Known:
    state = g.operand(lambda t: t == _STATE, lambda: _STATE)
    types = (_STATE, TensorType(g.rng.choice(_BITS), g.shape()))
    results = g.add("rng_bit_generator", state, algorithm=g.rng.choice(ALGORITHMS), types=types)
    return g.rng.choice(results[::-1])


STEPS: dict[str, Step] = {"rng_bit_generator": _rng_bit_generator}
