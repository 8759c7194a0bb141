"""torch's closed attention kernel for a CPU as products and a softmax. torch calls it in the fast
path of a transformer's layers in evaluation, below everything that a trace replaces."""

from collections.abc import Callable
from math import inf

import torch
from torch import Tensor

from compiler_core.capture.torch.attention import scores_of


def _closed(
    query: Tensor, key: Tensor, value: Tensor, dropout_p: float = 0.0, is_causal: bool = False,
    *, attn_mask: Tensor | None = None, scale: float | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The result, and the logarithm of each row's sum. The kernel has no dropout."""
    scores, value = scores_of(query, key, value, scale, grouped=False)
    if is_causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
        scores = torch.where(seen, scores, -inf)
    if attn_mask is not None:
        scores = scores + attn_mask
    result = torch.ops.aten._safe_softmax(scores, -1) @ value
    return result, scores.float().logsumexp(-1)


TABLE: dict[str, Callable[..., object]] = {"_scaled_dot_product_flash_attention_for_cpu": _closed}
