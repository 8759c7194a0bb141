"""Arrays cut into the blocks of a mesh, and put together again."""

import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

from compiler_core.capture.jax.blocks import joined, split

pytestmark = pytest.mark.cpu
SIZES = {"a": 2, "b": 3}
X = np.arange(24 * 6, dtype="float32").reshape(24, 6)


@pytest.mark.parametrize(
    ("spec", "held", "shape", "block"),
    [
        (P(), (), (24, 6), X),
        (P("b"), ("b",), (3, 8, 6), X[8:16]),
        (P(None, "a"), ("a",), (2, 24, 3), X[:, 3:]),
        (P("b", "a"), ("a", "b"), (2, 3, 8, 3), X[8:16, 3:]),
        (P(("b", "a")), ("a", "b"), (2, 3, 4, 6), X[12:16]),
    ],
)
def test_each_device_has_the_block_that_the_spec_says(spec, held, shape, block):
    cut, names = split(X, spec, SIZES)
    assert (names, cut.shape) == (held, shape)
    of_one = cut
    for _ in held:
        of_one = of_one[1]  # the second along each axis
    np.testing.assert_array_equal(of_one, block)


@pytest.mark.parametrize("spec", [P(), P("a"), P(None, ("a", "b")), P(("b", "a")), P("b", "a")])
def test_what_is_cut_is_put_together_again(spec):
    cut, held = split(X, spec, SIZES)
    for place, name in enumerate(SIZES):
        if name not in held:
            cut = np.stack([cut] * SIZES[name], axis=place)
    np.testing.assert_array_equal(joined(cut, spec, SIZES), X)
