"""Programs that become the templates of a GPU's plans, at sizes that the interpreter walks."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from compiler_core.capture.torch.capture import capture
from compiler_core.interop.arrays import torch_to_numpy
from compiler_core.ir.graph import Graph
from compiler_core.snippet.program import FoundProgram

Shape = tuple[int, ...]
F32, F16, BF16 = torch.float32, torch.float16, torch.bfloat16


def _linear(x: Any, w: Any, b: Any) -> Any:
    return functional.gelu(functional.linear(x, w, b))


def _normed(x: Any, w: Any) -> Any:
    return functional.layer_norm(x, (x.shape[-1],)) @ w


def _normed_after(x: Any, w: Any) -> Any:
    return functional.softmax(x @ w, -1)


def _attended(q: Any, k: Any, v: Any) -> Any:
    return functional.scaled_dot_product_attention(q, k, v)


def _causal(q: Any, k: Any, v: Any) -> Any:
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def _biased(q: Any, k: Any, v: Any, bias: Any) -> Any:
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=bias)


def _grouped(q: Any, k: Any, v: Any) -> Any:
    return functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)


def _convolved(x: Any, w: Any) -> Any:
    return functional.relu(functional.conv2d(x, w, padding=1) + 1)


def _depthwise(x: Any, w: Any) -> Any:
    return functional.conv2d(x, w, padding=1, groups=x.shape[1])


def _pooled(x: Any) -> Any:
    return functional.max_pool2d(x, 3, 2, 1), functional.avg_pool2d(x, 2)


def _counted(x: Any, u: Any) -> Any:
    return x.index_add(0, torch.arange(u.shape[0]) * 7 % x.shape[0], u)


def _ordered(x: Any) -> Any:
    return (*torch.sort(x, dim=-1, stable=True), *torch.topk(x, 3))


# The program, its inputs' shapes, and their type.
TEMPLATES: dict[str, tuple[Callable[..., Any], tuple[Shape, ...], torch.dtype]] = {
    "product": (lambda x, y: x @ y, ((33, 40), (40, 17)), F32),
    "product of f16": (lambda x, y: x @ y, ((33, 40), (40, 24)), F16),
    "product of bf16": (lambda x, y: x @ y, ((64, 32), (32, 48)), BF16),
    "product, transposed": (lambda x, y: x.T @ y.T, ((40, 33), (17, 40)), F32),
    "batch of products": (lambda x, y: x @ y, ((3, 9, 20), (3, 20, 7)), F32),
    "product with a long inner dimension": (lambda x, y: x @ y, ((4, 2000), (2000, 5)), F32),
    "product of one row": (lambda x, y: x @ y, ((1, 300), (300, 40)), F16),
    "product of a vector": (lambda x, y: x @ y, ((40, 300), (300,)), F32),
    "product with an end": (_linear, ((33, 40), (65, 40), (65,)), F32),
    "long product with an end": (_linear, ((4, 2000), (8, 2000), (8,)), F32),
    "product with an end of bf16": (_linear, ((33, 40), (64, 40), (64,)), BF16),
    "product with a beginning": (_normed, ((33, 64), (64, 40)), F32),
    "product with rows at its end": (_normed_after, ((33, 40), (40, 48)), F32),
    "attention": (_attended, ((1, 2, 20, 16), (1, 2, 30, 16), (1, 2, 30, 16)), F32),
    "attention of bf16": (_attended, ((1, 2, 32, 16), (1, 2, 48, 16), (1, 2, 48, 16)), BF16),
    "causal attention": (_causal, ((1, 1, 33, 16),) * 3, F32),
    "attention with a bias": (_biased, (*((1, 2, 20, 16),) * 3, (20, 20)), F32),
    "attention of grouped queries": (
        _grouped, ((2, 4, 20, 16), (2, 2, 20, 16), (2, 2, 20, 16)), F32,
    ),
    "attention of one query": (_attended, ((2, 2, 1, 16), (2, 2, 70, 16), (2, 2, 70, 16)), F32),
    "convolution": (_convolved, ((2, 5, 9, 7), (8, 5, 3, 3)), F32),
    "convolution of f16": (_convolved, ((1, 8, 8, 8), (16, 8, 3, 3)), F16),
    "pointwise convolution": (functional.conv2d, ((2, 6, 5, 4), (9, 6, 1, 1)), F32),
    "depthwise convolution": (_depthwise, ((2, 6, 9, 7), (6, 1, 3, 3)), F32),
    "transposed convolution": (functional.conv_transpose2d, ((2, 5, 4, 6), (5, 4, 3, 3)), F32),
    "pooling": (_pooled, ((2, 3, 12, 9),), F32),
    "softmax": (lambda x: torch.softmax(x, -1), ((9, 300),), F32),
    "softmax of columns": (lambda x: torch.softmax(x, 0), ((300, 9),), F32),
    "layer norm of bf16": (lambda x: functional.layer_norm(x, (200,)), ((7, 200),), BF16),
    "sums over every axis": (lambda x: (x.sum(), x.sum(0), x.amax(1), x.mean()), ((70, 90),), F32),
    "variance of a long row": (lambda x: torch.var_mean(x, -1), ((2, 5000),), F32),
    "places of the largest": (lambda x: (x.argmax(), x.argmin(0), x.max(1)), ((40, 70),), F32),
    "running values": (lambda x: (x.cumsum(1), x.cumsum(0), x.cummax(1)), ((9, 300),), F32),
    "transpose": (lambda x: (x.T + 1, x.T.contiguous()), ((50, 70),), F32),
    "order": (_ordered, ((5, 100),), F32),
    "order of a long row": (lambda x: torch.sort(x, dim=-1, stable=True), ((400,),), F32),
    "largest of many long rows": (lambda x: torch.topk(x, 1), ((60, 1030),), F32),
    "order of bf16": (_ordered, ((3, 70),), BF16),
    "scatter": (_counted, ((20, 6), (30, 6)), F32),
    "scatter of single elements": (_counted, ((100,), (300,)), F32),
}  # fmt: skip


def graph_of(name: str) -> tuple[Graph, tuple[np.ndarray[Any, Any], ...]]:
    """What a program is captured as, and its inputs: the same at every call."""
    fn, shapes, dtype = TEMPLATES[name]
    generator = torch.Generator().manual_seed(len(name))
    args = tuple(torch.randn(s, generator=generator).to(dtype) for s in shapes)
    captured = capture(FoundProgram(name, "torch", None, fn, args, {}))
    return captured.graph, tuple(torch_to_numpy(x) for x in captured.arguments)
