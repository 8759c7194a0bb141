"""Steps of products: over any dimensions with any batch, and convolutions of every kind."""

from compiler_core.ir.types import BF16, F16, F32, F64, I32, I64, TensorType
from conformance.graphs.growing import Growing, Known, Unfit
from conformance.graphs.table import Step

_DTYPES = (F32, F32, F32, F64, BF16, F16, I32, I64)


def _dot_general(g: Growing) -> Known:
    x = g.of_rank(1, _DTYPES)
    kinds = [g.rng.choice(("contract", "contract", "batch", "free")) for _ in x.shape]
    batch, contract = (
        tuple(d for d, k in enumerate(kinds) if k == kind) for kind in ("batch", "contract")
    )
    free = g.shape(0, 2)
    # The other operand's dimensions in an order of its own.
    own: list[tuple[str, int]] = [
        *(("batch", d) for d in batch), *(("contract", d) for d in contract),
        *(("free", i) for i in range(len(free))),
    ]  # fmt: skip
    own = g.rng.sample(own, len(own))
    shape = tuple(free[i] if kind == "free" else x.shape[i] for kind, i in own)
    wanted = TensorType(x.type.dtype, shape)
    y = g.operand(lambda t: t == wanted, lambda: wanted)
    rhs_batch, rhs_contract = (
        tuple(own.index((kind, d)) for d in dims)
        for kind, dims in (("batch", batch), ("contract", contract))
    )
    return g.add(
        "dot_general", x, y, lhs_batch=batch, rhs_batch=rhs_batch, lhs_contract=contract,
        rhs_contract=rhs_contract,
    )[0]  # fmt: skip


def _convolution(g: Growing) -> Known:
    rank = g.rng.choice((1, 2, 2, 3))
    x = g.operand(lambda t: t.rank == rank + 2 and t.dtype in _DTYPES, lambda: _image(g, rank))
    orders = [tuple(range(rank + 2))] * 3
    if g.chance(0.4):
        orders = [tuple(g.rng.sample(orders[0], rank + 2)) for _ in range(3)]
    lhs, rhs, out = orders
    channels = x.shape[lhs[1]]
    if not isinstance(channels, int) or any(g.least(x.shape[d]) != x.shape[d] for d in lhs[2:]):
        raise Unfit("an image of such sizes")
    groups = g.rng.choice([n for n in (1, 1, 2, channels) if n and channels % n == 0] or [1])
    features = groups * g.rng.randint(1, 3)

    def each(*choices: int) -> tuple[int, ...]:
        return tuple(g.rng.choice(choices) for _ in range(rank))

    sizes = (features, channels // groups, *each(1, 2, 3))
    wanted = TensorType(x.type.dtype, tuple(sizes[rhs.index(d)] for d in range(rank + 2)))
    return g.add(
        "convolution", x, g.leaf(wanted), strides=each(1, 1, 2), low=each(0, 1, 2, -1),
        high=each(0, 1, 1, -1), lhs_dilation=each(1, 1, 1, 2), rhs_dilation=each(1, 1, 2),
        window_reversal=tuple(g.chance(0.2) for _ in range(rank)), groups=groups, lhs_dims=lhs,
        rhs_dims=rhs, out_dims=out,
    )[0]  # fmt: skip


def _image(g: Growing, rank: int) -> TensorType:
    sizes = (g.rng.randint(1, 2), g.rng.choice((1, 2, 3, 4)))
    spatial = (g.rng.randint(2, 7) for _ in range(rank))
    return TensorType(g.rng.choice(_DTYPES), (*sizes, *spatial))


STEPS: dict[str, Step] = {"dot_general": _dot_general, "convolution": _convolution}
