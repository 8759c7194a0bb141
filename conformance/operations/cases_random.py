"""Graphs of random bits: every algorithm, width and way of dividing a shape."""

from collections.abc import Iterator

import numpy as np

from compiler_core.ir.build import Builder
from compiler_core.ir.ops.random import ALGORITHMS
from compiler_core.ir.types import DTYPES, U64, TensorType
from conformance.operations.cases import Case

SHAPES = [(), (1,), (5,), (6,), (3, 4), (4, 3), (3, 5), (1, 1, 3), (0, 2), (2, 3, 4)]
# The last one goes over the end of its counter.
STATES = ((0, 0), (0x0123_4567_89AB_CDEF, 2**32 - 2), (2**64 - 1, 2**64 - 2))


def every() -> Iterator[Case]:
    state = TensorType(U64, (2,))
    for algorithm in ALGORITHMS:
        for width in ("u8", "u16", "u32", "u64"):
            for shape in SHAPES:
                for number, words in enumerate(STATES):
                    b = Builder()
                    types = (state, TensorType(DTYPES[width], shape))
                    results = b.operation(
                        "rng_bit_generator", [b.parameter(state)], algorithm=algorithm, types=types
                    )
                    name = f"{algorithm}-{width}-{shape}-{number}"
                    yield Case(name, b.graph("f", results), (np.array(words, np.uint64),))
