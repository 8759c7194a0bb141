"""Random bits in torch, which has no generator with an explicit state: by the IR's own
operations."""

from typing import Any

from compiler_core.ir.eval_torch import elementwise, leaves, views
from compiler_core.ir.eval_torch.context import Context, SeveralRule, cut
from compiler_core.ir.evaluate import walk
from compiler_core.ir.graph import Operation
from compiler_core.ir.random_bits import expansion

_RULES = {**leaves.RULES, **elementwise.RULES, **views.RULES}


def _rng_bit_generator(c: Context, operation: Operation, state: Any) -> tuple[Any, ...]:
    def meaning(inner: Operation, *xs: Any) -> tuple[Any, ...]:
        return (cut(inner.types[0].dtype, _RULES[inner.op](c, inner.result, *xs)),)

    return tuple(walk(expansion(operation), [state], meaning))


SEVERAL: dict[str, SeveralRule] = {"rng_bit_generator": _rng_bit_generator}
