"""Steps that sort. What is not sorted stably has all of its operands as keys: no tie is seen."""

from compiler_core.ir.types import I64, TensorType
from conformance.graphs.growing import Growing, Known
from conformance.graphs.table import NUMBERS, Step


def _rows(g: Growing) -> Known:
    return g.operand(
        lambda t: t.rank >= 1 and t.dtype.kind != "bool",
        lambda: TensorType(g.rng.choice(NUMBERS), g.shape(1)),
    )


def _sort(g: Growing) -> Known:
    x = _rows(g)
    d, more = g.below(x.rank), g.rng.randint(0, 2)
    keys = [x, *(g.like(x) for _ in range(more // 2))]
    moved = [g.add("iota", type=x.type.with_dtype(I64), dimension=d)[0]] if more else []
    results = g.add(
        "sort", *keys, *moved, dimension=d, keys=len(keys), descending=g.chance(0.5),
        stable=bool(moved) or g.chance(0.5),
    )  # fmt: skip
    return g.rng.choice(results)


def _top_k(g: Growing) -> Known:
    x = _rows(g)
    return g.rng.choice(
        g.add("top_k", x, k=g.rng.randint(0, g.least(x.shape[-1])), total=g.chance(0.3))
    )


STEPS: dict[str, Step] = {"sort": _sort, "top_k": _top_k}
