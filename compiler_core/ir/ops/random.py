"""Random bits as a function of an explicit state: a counter is encrypted, so that every element can
be computed independently (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011)."""

from compiler_core.ir.ops.info import OpInfo

ALGORITHMS = ("THREE_FRY", "PHILOX")

ROWS = (
    # (state u64[2]: the key and the counter) to the state after it, and bits of the declared type.
    OpInfo(
        "rng_bit_generator", 1, "opaque", 64, ("algorithm",),
        draws_random_numbers=True, nonlinear=True,
    ),
)  # fmt: skip
