"""Types of random bits: a state of two words, and the declared type of the bits."""

from compiler_core.ir.graph import Region
from compiler_core.ir.infer.rule import Attrs, SeveralRule, Types, check
from compiler_core.ir.ops.random import ALGORITHMS
from compiler_core.ir.types import U64, TensorType


def _rng_bit_generator(operands: Types, attrs: Attrs, regions: tuple[Region, ...]) -> Types:
    state, bits = attrs["types"]
    check(attrs["algorithm"] in ALGORITHMS, lambda: f"algorithm {attrs['algorithm']}")
    check(
        operands[0] == state == TensorType(U64, (2,)) and bits.dtype.kind == "uint",
        lambda: f"random {bits} of the state {operands[0]}, which is to be u64[2]",
    )
    return state, bits


SEVERAL: dict[str, SeveralRule] = {"rng_bit_generator": _rng_bit_generator}
