"""Functionalization of views and in-place writes, which a graph does not have.

A tensor that is a view knows its base and the call that derives it from the base. A write to a view
becomes a new value of its base, and so on up to the tensor that owns the memory; other views of
that memory are then stale, and are computed from the new base when they are read next.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Optional

import torch

from compiler_core.capture.complex_numbers.packing import packed, unpacked
from compiler_core.capture.complex_numbers.value import Complex
from compiler_core.capture.torch.symbols import dim_of
from compiler_core.capture.torch.trace import Call, TensorResult
from compiler_core.capture.torch.unview import OF_PACKED, PIECES, UNVIEW, put_piece
from compiler_core.errors import CaptureError
from compiler_core.interop.complex_pairs import is_complex_tensor
from compiler_core.ir.build import Builder
from compiler_core.ir.graph import Value
from compiler_core.ir.sizes import sum_of

# The new value of a view's base, from the base's value before and the view's new value.
Back = Callable[[Value, Value, Builder], Value]


class Tensor:
    """The value of a torch tensor at the current point of the trace. For a view of `base`, `back`
    writes a new value of it into the base, and `again` computes it from the base's value. `version`
    counts writes to the memory that the tensor owns; a view with an older version is stale."""

    __slots__ = ("again", "back", "base", "node", "owner", "seen", "version")

    def __init__(
        self,
        node: Value,
        base: Optional["Tensor"] = None,
        back: Back | None = None,
        again: Callable[[], Value] | None = None,
    ) -> None:
        self.node, self.base, self.back, self.again = node, base, back, again
        self.owner: Tensor = base.owner if base else self
        self.version = 0
        self.seen = self.owner.version

    def read(self) -> Value:
        """The present value, computed from the base again if it is stale."""
        if self.again is not None and self.seen != self.owner.version:
            self.node, self.seen = self.again(), self.owner.version
        return self.node

    def write(self, node: Value, b: Builder) -> None:
        """Makes `node` the tensor's value, and updates every tensor that it is a view of."""
        if self.base is None:
            self.version += 1
        else:
            assert self.back is not None
            self.base.write(self.back(self.base.read(), node, b), b)
        self.node, self.seen = node, self.owner.version


def unview(call: Call, index: int, base: Value, node: Value, b: Builder) -> Value:
    """The inverse of a view: `base` with the elements that result `index` of the view operation
    `call` shows replaced by those of `node`. Raises CaptureError for views without an inverse."""
    name = call.func._schema.name.removeprefix("aten::")
    if name not in OF_PACKED and is_complex_tensor(call.args[0]):
        old, new = unpacked(b, base), unpacked(b, node)
        pairs = zip((old.re, old.im), (new.re, new.im), strict=True)
        return packed(b, Complex(*(_unview(name, call, index, x, y, b) for x, y in pairs)))
    return _unview(name, call, index, base, node, b)


def _unview(name: str, call: Call, index: int, base: Value, node: Value, b: Builder) -> Value:
    if name in PIECES:
        dim = call.args[PIECES[name]] % base.type.rank
        before = (shape[dim] if name != "unbind" else 1 for _, _, shape in call.results[:index])
        return put_piece(b, base, node, dim, sum_of(map(dim_of, before)))
    rule = UNVIEW.get(f"{name}.{call.func._schema.overload_name}") or UNVIEW.get(name)
    if rule is None:
        raise CaptureError(
            f"a write into a view made by {name} is not compiled",
            remedy="compute a new tensor instead of writing into the view",
        )
    return rule(b, base, node, *map(_sized, call.args[1:]))


def _sized(arg: Any) -> Any:
    return dim_of(arg) if isinstance(arg, torch.SymInt) else arg


@lru_cache(maxsize=4096)
def _written_arguments(func: Any) -> tuple[int, ...]:
    return tuple(
        i
        for i, a in enumerate(func._schema.arguments)
        if a.alias_info is not None and a.alias_info.is_write
    )


def written(call: Call) -> Sequence[torch.Tensor]:
    """The tensors that a call writes to, by its schema."""
    if undeclared_mutation(call):
        return []
    args = [call.args[i] for i in _written_arguments(call.func)]
    leaves = [x for a in args for x in (a if isinstance(a, tuple | list) else [a])]
    return [x for x in leaves if isinstance(x, torch.Tensor)]


# Batch norms in training write their running statistics, and the schemas of some do not say so.
_UNDECLARED = {
    "native_batch_norm": (3, 4),
    "_native_batch_norm_legit": (3, 4),
    "_batch_norm_with_update": (3, 4),
}


def undeclared_mutation(call: Call) -> Sequence[int]:
    """Positions of the arguments that an operation modifies although its schema does not say so.
    Its rule returns their new values after its results."""
    places = _UNDECLARED.get(call.func._schema.name.removeprefix("aten::"), ())
    return [p for p in places if isinstance(call.args[p], torch.Tensor)]


def returned_new(call: Call) -> list[TensorResult]:
    """The results of an in-place operation that are not the tensors it writes to."""
    returns = call.func._schema.returns
    if len(returns) != len(call.results):
        return []
    pairs = zip(call.results, returns, strict=True)
    return [result for result, declared in pairs if declared.alias_info is None]
