"""Attention whose batch and lengths are symbols, in both frameworks, and what numpy's float64 says
of it at the sizes of one call."""

from collections.abc import Iterator
from functools import cache

import numpy as np

from compiler_core.ir.graph import Graph
from compiler_core.ir.substitute import substitute, symbols_of
from tests.compiler_core import attentions
from tests.compiler_core.attentions import BY_HAND, CAUSAL, GROUPED, HEADS_LAST, MASKED, PLAIN

_TORCH = """
# inputs: {inputs}
import torch
import torch.nn.functional as F

def f({parameters}):
    {body}
"""
_JAX = """
# inputs: {inputs}
import jax
import jax.numpy as jnp

def f({parameters}):
    {body}
"""
_PROJECTED = """x = (q @ k / 8).view(q.shape[0], q.shape[1], 3, 4, 16).permute(2, 0, 3, 1, 4)
    y = F.scaled_dot_product_attention(*x, is_causal=True)
    return y.transpose(1, 2).reshape(q.shape)"""
_JAX_BODY = "return jax.nn.dot_product_attention(q, k, v{options})"
_LAST = "f32[B=2,T=64,3,16]"
_SAME = "f32[B=2,3,T=64,16]"

# By what they show: the framework, the body, and the inputs q, k, v, m.
_CASES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "batch and length": (_TORCH, PLAIN, (_SAME,) * 3),
    "causal": (_TORCH, CAUSAL, (_SAME,) * 3),
    "batch alone": (_TORCH, CAUSAL, ("f32[B=4,3,50,16]",) * 3),
    "more keys than rows": (
        _TORCH, PLAIN, ("f32[B=2,3,T=70,16]", "f32[B,3,S=90,16]", "f32[B,3,S,24]")
    ),
    "causal, as many keys as another symbol": (
        _TORCH, CAUSAL, ("f32[B=2,3,T=70,16]", "f32[B,3,S=90,16]", "f32[B,3,S,16]")
    ),
    "added mask": (_TORCH, MASKED, (*(_SAME,) * 3, "f32[T,T]")),
    "heads last": (_TORCH, HEADS_LAST, (_LAST,) * 3),
    "by hand": (_TORCH, BY_HAND, (_SAME,) * 3),
    "grouped": (
        _TORCH, GROUPED, ("f32[B=2,4,T=50,16]", "f32[B,2,T,16]", "f32[B,2,T,16]")
    ),
    "projected": (_TORCH, _PROJECTED, ("f32[B=2,T=64,64]", "f32[64,192]")),
    "jax": (_JAX, _JAX_BODY.format(options=""), (_LAST,) * 3),
    "jax, causal": (_JAX, _JAX_BODY.format(options=", is_causal=True"), (_LAST,) * 3),
}  # fmt: skip
CASES = list(_CASES)
# Values of the symbols, in the order of their names: the least; what no tile has; more than one of
# every tile.
SIZES = ((2, 2, 3), (3, 37, 50), (2, 150, 131))


@cache
def case(name: str) -> Graph:
    """One of CASES."""
    text, body, inputs = _CASES[name]
    return graph_of(body, inputs, text)


def graph_of(body: str, inputs: tuple[str, ...], text: str = _TORCH) -> Graph:
    """`body` over q, k, v and perhaps a mask m, `inputs` as in the Inputs panel."""
    parameters = ", ".join("qkvm"[: len(inputs)])
    source = text.format(inputs=", ".join(inputs), parameters=parameters, body=body)
    return attentions.graph_of(source)


def calls(name: str) -> Iterator[tuple[list[np.ndarray], np.ndarray]]:
    """Inputs at each of SIZES, and what float64 makes of them."""
    graph = case(name)
    for sizes in SIZES:
        numbers = substitute(graph, dict(zip(symbols_of(graph), sizes, strict=False)))
        inputs = attentions.inputs_of(numbers)
        yield inputs, attentions.expected(numbers, inputs)
