"""Other results that torch's attention may give where masked elements are NaN or infinite.

Its closed kernels visit keys in blocks: a value that a row does not see is multiplied by a weight
of 0, which gives NaN where the value is not finite, if its block has a value that the row sees;
otherwise it is never read. The size of blocks differs from kernel to kernel, and so does whether a
row whose scores are all NaN gives NaN or 0. The two extremes are computed here: every value is
read, or no masked one.
"""

from collections.abc import Callable
from math import inf
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from compiler_core.capture.torch.attention import ATTENTION, as_mathematics, scores_of

Way = Callable[..., torch.Tensor]


class Instead(TorchFunctionMode):
    """Within the context, `way` computes attention; `called` says whether any was."""

    def __init__(self, way: Way) -> None:
        super().__init__()
        self.way, self.called = way, False

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is not ATTENTION:
            return func(*args, **(kwargs or {}))
        self.called = True
        return self.way(*args, **(kwargs or {}))


def _unread(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor,
    attn_mask: torch.Tensor | None = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> torch.Tensor:  # fmt: skip
    """Nothing that is masked is read, neither keys nor values; without dropout."""
    scores, value = scores_of(query, key, value, scale, enable_gqa)
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device)
    seen = seen.tril() if is_causal else seen
    if attn_mask is not None and attn_mask.dtype is torch.bool:
        seen = attn_mask
    elif attn_mask is not None:
        scores, seen = scores + attn_mask, attn_mask != -inf
    weights = torch.ops.aten._safe_softmax(torch.where(seen, scores, -inf), -1)
    result = weights @ value.masked_fill(~value.isfinite(), 0)
    places = (value == inf, value == -inf, value.isnan())
    above, below, nan = (seen.to(value.dtype) @ x.to(value.dtype) > 0 for x in places)
    result = torch.where(above, inf, torch.where(below, -inf, result))
    return result.masked_fill(nan | (above & below), torch.nan)


WAYS: tuple[Way, ...] = (as_mathematics, _unread)
