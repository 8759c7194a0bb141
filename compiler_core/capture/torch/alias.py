"""Views and writes in place, made functional: a graph has neither.

A tensor that is a view knows its base and how to be taken from it again. A write to a view writes
into its base, up to the tensor that owns the memory; every other view of that memory is then
stale and is taken anew when it is next read.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Optional

import torch

from compiler_core.capture.torch.trace import Call
from compiler_core.capture.torch.unview import PIECES, UNVIEW, put_piece
from compiler_core.errors import CaptureError
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value


class Tensor:
    """The value of one torch tensor. `version` counts the writes to memory that it owns."""

    __slots__ = ("again", "base", "call", "index", "node", "owner", "seen", "version")

    def __init__(
        self,
        node: Value,
        base: Optional["Tensor"] = None,
        call: Call | None = None,
        again: Callable[[], Value] | None = None,
        index: int = 0,
    ) -> None:
        self.node, self.base, self.call, self.again = node, base, call, again
        # Which of the call's results it is.
        self.index = index
        self.owner: Tensor = base.owner if base else self
        self.version = 0
        self.seen = self.owner.version

    def read(self) -> Value:
        if self.again is not None and self.seen != self.owner.version:
            self.node, self.seen = self.again(), self.owner.version
        return self.node

    def write(self, node: Value, b: Builder) -> None:
        if self.base is None:
            self.version += 1
        else:
            assert self.call is not None
            self.base.write(unview(self.call, self.index, self.base.read(), node, b), b)
        self.node, self.seen = node, self.owner.version


def unview(call: Call, index: int, base: Value, node: Value, b: Builder) -> Value:
    """`base` with `node` in the place that the view takes from it: result `index` of `call`."""
    name = call.func._schema.name.removeprefix("aten::")
    if name in PIECES:
        dim = call.args[PIECES[name]] % base.type.rank
        sizes = [shape[dim] if name != "unbind" else 1 for _, _, shape in call.results[:index]]
        return put_piece(b, base, node, dim, sum(sizes))
    if name not in UNVIEW:
        raise CaptureError(
            f"a write into a view made by {name} is not compiled",
            remedy="compute a new tensor instead of writing into the view",
        )
    return UNVIEW[name](b, base, node, *call.args[1:])


@lru_cache(maxsize=4096)
def is_view(func: Any) -> bool:
    """Whether results share memory with the first argument."""
    returns = [r.alias_info for r in func._schema.returns]
    return any(a is not None and not a.is_write for a in returns)


@lru_cache(maxsize=4096)
def _written_arguments(func: Any) -> tuple[int, ...]:
    return tuple(
        i
        for i, a in enumerate(func._schema.arguments)
        if a.alias_info is not None and a.alias_info.is_write
    )


def written(call: Call) -> Sequence[torch.Tensor]:
    """The tensors that a call writes to."""
    if undeclared_mutation(call):
        return []
    args = (call.args[i] for i in _written_arguments(call.func))
    return [a for a in args if isinstance(a, torch.Tensor)]


# Batch norms in training write their running statistics, and the schemas of some do not say so.
_SECRETLY = {
    "native_batch_norm": (3, 4),
    "_native_batch_norm_legit": (3, 4),
    "_batch_norm_with_update": (3, 4),
}


def undeclared_mutation(call: Call) -> Sequence[int]:
    """The places of the arguments whose new values a row gives beside the results."""
    places = _SECRETLY.get(call.func._schema.name.removeprefix("aten::"), ())
    return [p for p in places if isinstance(call.args[p], torch.Tensor)]
