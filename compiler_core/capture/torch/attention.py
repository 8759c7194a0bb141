"""Attention as products and a softmax instead of one closed kernel. Its result has the strides of
torch's kernel, on which views of it depend, and it reads no more than that kernel does: no score
under a causal mask. A given mask is added in both."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from math import inf, sqrt
from typing import Any

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.overrides import TorchFunctionMode

from compiler_core.capture.torch.dynamo import aot
from compiler_core.interop.private import TorchDispatchMode

ATTENTION = torch.nn.functional.scaled_dot_product_attention
_CAUSAL = 5  # the place of `is_causal` among its arguments
_ATEN = torch.ops.aten
_CLOSED = frozenset(
    {
        _ATEN._scaled_dot_product_flash_attention_for_cpu.default,
        _ATEN._scaled_dot_product_flash_attention.default,
        _ATEN._scaled_dot_product_efficient_attention.default,
        _ATEN._scaled_dot_product_cudnn_attention.default,
    }
)


class AsMathematics(TorchFunctionMode):
    """Within the context, calls of attention on fake tensors become products and a softmax."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is not ATTENTION:
            return func(*args, **kwargs)
        with aot.without_modes():
            closed = func(*args, **kwargs).stride()
        result = as_mathematics(*args, **kwargs)
        return result if result.stride() == closed else laid_out(result, order(closed))


def as_mathematics(*args: Any, **kwargs: Any) -> torch.Tensor:
    """A call of attention, as products and a softmax."""
    compute = _composed(args, kwargs)
    with sdpa_kernel(SDPBackend.MATH):
        return compute(*args, **kwargs)


def _composed(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[..., torch.Tensor]:
    """What computes a call of attention as mathematics, given that torch takes its own."""
    is_causal = kwargs.get("is_causal", args[_CAUSAL] if len(args) > _CAUSAL else False)
    return _causal if is_causal and _is_closed(args, kwargs) else ATTENTION


class _Calls(TorchDispatchMode):
    """Notes the operations that are called inside."""

    def __init__(self) -> None:
        super().__init__()
        self.called = set[Any]()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.called.add(func)
        return func(*args, **(kwargs or {}))


def _is_closed(args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether torch runs one kernel, which walks only the keys that a row sees."""
    # What torch makes itself, such as a mask, is as fake as what it is given.
    given = getattr(args[0], "fake_mode", None) or nullcontext()
    with aot.without_modes(), given, _Calls() as calls:
        ATTENTION(*args, **kwargs)
    return not _CLOSED.isdisjoint(calls.called)


def _causal(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: None = None,
    dropout_p: float = 0.0, is_causal: bool = True, scale: float | None = None,
    enable_gqa: bool = False,
) -> torch.Tensor:  # fmt: skip
    """As torch's own mathematics (aten/src/ATen/native/transformers/attention.cpp), but that scores
    are chosen, where it adds minus infinity to each that is masked. No kernel that is closed has a
    mask beside it, or dropout."""
    scores, value = scores_of(query, key, value, scale, enable_gqa)
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    return _ATEN._safe_softmax(torch.where(seen, scores, -inf), -1) @ value


def scores_of(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float | None, grouped: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """Queries times keys, both scaled; and the values, expanded to a head for each query head if
    `grouped`."""
    if grouped:
        key, value = (x.repeat_interleave(query.size(-3) // x.size(-3), -3) for x in (key, value))
    factor = 1 / sqrt(query.size(-1)) if scale is None else scale
    half = sqrt(abs(factor))
    return (query * (half if factor >= 0 else -half)) @ (key.mT * half), value


def composed_in(module: Any) -> None:
    """Replaces attention in a graph of Dynamo's by products and a softmax. Its results get the
    strides that Dynamo recorded, whatever inputs `module` is traced with."""
    for each in [m for m in module.modules() if isinstance(m, torch.fx.GraphModule)]:
        for node in [n for n in each.graph.nodes if n.target is ATTENTION]:
            given = torch.fx.node.map_arg((node.args, node.kwargs), _example)
            node.target = _composed(*given)
            with each.graph.inserting_after(node):
                closed = order(node.meta["example_value"].stride())
                laid = each.graph.call_function(laid_out, (node, closed))
            laid.meta = dict(node.meta)
            node.replace_all_uses_with(laid, delete_user_cb=lambda user, own=laid: user is not own)
        each.recompile()


def _example(node: torch.fx.Node) -> Any:
    return node.meta["example_value"]


def order(stride: Sequence[Any]) -> tuple[int, ...]:
    """The dimensions by decreasing stride."""
    return tuple(sorted(range(len(stride)), key=lambda dim: (-stride[dim], -dim)))


def laid_out(x: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """`x` over memory that is dense in the order `dims` of its dimensions."""
    back = [list(dims).index(dim) for dim in range(len(dims))]
    return x.permute(*dims).clone(memory_format=torch.contiguous_format).permute(*back)
