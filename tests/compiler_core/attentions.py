"""Attention as people write it, in both frameworks, captured and canonicalized; numpy's float64
evaluation of the graph is the oracle."""

from functools import cache

import numpy as np

from compiler_core.capture import capture
from compiler_core.interop.numpy_dtypes import NUMPY
from compiler_core.ir.eval_numpy import evaluate
from compiler_core.ir.graph import Graph
from compiler_core.passes.order import PASSES
from tests.compiler_core.snippets import JAX, TORCH, explore


@cache
def graph_of(source: str) -> Graph:
    """The graph of a snippet's one program after all passes."""
    found = explore(source)
    assert found.error is None, found.error
    (program,) = found.programs
    graph = capture(program).whole.graph
    for each in PASSES:
        graph, _ = each.run(graph)
    return graph


def torch_attention(body: str, *shapes: tuple[int, ...], dtype: str = "float32") -> Graph:
    """`body` over q, k, v and perhaps a mask m, of `shapes`."""
    names = "qkvm"[: len(shapes)]
    result = (f"torch.zeros({tuple(s)}, dtype=torch.{dtype})" for s in shapes)
    return graph_of(
        TORCH.format(parameters=", ".join(names), body=body, arguments=", ".join(result))
    )


def jax_attention(body: str, *shapes: tuple[int, ...], dtype: str = "float32") -> Graph:
    names = "qkvm"[: len(shapes)]
    result = (f"jnp.zeros({tuple(s)}, jnp.{dtype})" for s in shapes)
    return graph_of(JAX.format(parameters=", ".join(names), body=body, arguments=", ".join(result)))


def inputs_of(graph: Graph) -> list[np.ndarray]:
    random = np.random.default_rng(7)
    result = []
    for x in graph.inputs:
        value = random.standard_normal(x.type.shape)
        kind = NUMPY[x.type.dtype.name]
        result.append(value > 0 if x.type.dtype.name == "bool" else value.astype(kind))
    return result


def expected(graph: Graph, inputs: list[np.ndarray]) -> np.ndarray:
    """In float64."""
    upcast = [x if x.dtype == bool else x.astype(np.float64) for x in inputs]
    with np.errstate(all="ignore"):
        (found,) = evaluate(graph, upcast)
    return np.asarray(found, np.float64)


SDPA = "return F.scaled_dot_product_attention(q, k, v{options})"
BY_HAND = """s = q @ k.transpose(-1, -2) * 0.25
    return torch.softmax(s, -1) @ v"""
MASK_FILL = """s = q @ k.transpose(-1, -2) / 4.0
    seen = torch.tril(torch.ones(s.shape[-2], s.shape[-1], dtype=torch.bool))
    s = s.masked_fill(~seen, float("-inf"))
    return torch.softmax(s, -1) @ v"""
SOFT_CAP = """s = 20.0 * torch.tanh(q @ k.transpose(-1, -2) * 0.125 / 20.0)
    return torch.softmax(s, -1) @ v"""
GROUPED = SDPA.format(options=", enable_gqa=True")
HEADS_LAST = """q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)"""
JAX_DPA = "return jax.nn.dot_product_attention(q, k, v{options})"
JAX_BY_HAND = """s = jnp.einsum("bhqd,bhkd->bhqk", q, k) * 0.3 + m
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(s, -1), v)"""


def heads(
    rows: int, keys: int, depth: int, batch: int = 2, count: int = 3, width: int = 0
) -> tuple[tuple[int, ...], ...]:
    """Shapes of q, k, v with heads before rows."""
    return (
        (batch, count, rows, depth),
        (batch, count, keys, depth),
        (batch, count, keys, width or depth),
    )


def jax_heads(
    rows: int, keys: int, depth: int, batch: int = 2, count: int = 4, groups: int = 0
) -> tuple[tuple[int, ...], ...]:
    """The same with rows before heads, as JAX has them."""
    few = (batch, keys, groups or count, depth)
    return (batch, rows, count, depth), few, few


CAUSAL = SDPA.format(options=", is_causal=True")
PLAIN = SDPA.format(options="")
MASKED = SDPA.format(options=", attn_mask=m")

_TORCH = {
    "sdpa": (PLAIN, *heads(70, 70, 16)),
    "sdpa, causal": (CAUSAL, *heads(130, 130, 20)),
    "sdpa, causal, more keys": (CAUSAL, *heads(20, 90, 16)),
    "sdpa, added mask": (MASKED, *heads(37, 75, 24), (37, 75)),
    "sdpa, long value": (PLAIN, *heads(40, 33, 8, width=19)),
    "by hand": (BY_HAND, *heads(65, 129, 16)),
    "filled mask": (MASK_FILL, *heads(80, 80, 16)),
    "soft cap": (SOFT_CAP, *heads(64, 64, 32)),
    "grouped": (GROUPED, (2, 4, 50, 16), (2, 2, 50, 16), (2, 2, 50, 16)),
    "heads last": (HEADS_LAST, (2, 66, 3, 16), (2, 66, 3, 16), (2, 66, 3, 16)),
    "one row": (CAUSAL, *heads(1, 40, 16)),
    "one row of depth and width one": (PLAIN, *heads(1, 40, 1)),
    "width of one": (CAUSAL, *heads(40, 40, 16, width=1)),
    "depth of one": (MASKED, *heads(40, 70, 1, width=16), (40, 70)),
    "two dimensions": (BY_HAND, (120, 16), (500, 16), (500, 16)),
}
_JAX = {
    "jax": (JAX_DPA.format(options=""), *jax_heads(70, 70, 16)),
    "jax, causal": (JAX_DPA.format(options=", is_causal=True"), *jax_heads(129, 129, 16)),
    "jax, grouped": (JAX_DPA.format(options=""), *jax_heads(40, 50, 16, groups=2)),
    "jax by hand": (JAX_BY_HAND, *heads(64, 190, 12), (2, 1, 1, 190)),
}
CASES = [*_TORCH, *_JAX]


@cache
def case(name: str) -> Graph:
    """One of CASES."""
    if name in _TORCH:
        return torch_attention(*_TORCH[name])
    return jax_attention(*_JAX[name])
