"""Attention as one step: two matrix products with a softmax between them.

How the step is run is a choice like any other: as one kernel that never stores the scores, or as
the separate steps that it consists of.
"""

from dataclasses import dataclass
from functools import cached_property

from compiler_core.ir.sizes import Symbol, hint
from compiler_core.kernel import attention, text, work
from compiler_core.kernel.kernel import BufferParam
from compiler_core.kernel.text import Line
from compiler_core.plan.steps import Matmul, Step


@dataclass(frozen=True)
class Attention:
    """`whole` is the attention that the template prints; `steps` are the separate ones that it
    replaces, in order, and `scores` is the first product among them."""

    name: str
    whole: attention.Attention
    scores: Matmul
    steps: tuple[Step, ...]
    kind = "attention"
    library = None
    by_design = True
    scratch = ()
    plans = ()
    kernel = None
    partial = False
    launches = 1

    @property
    def inputs(self) -> tuple[BufferParam, ...]:
        return self.whole.inputs

    @property
    def outputs(self) -> tuple[BufferParam, ...]:
        return self.whole.outputs

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return self.whole.symbols

    @property
    def skips_masked(self) -> bool:
        """Whether keys that a causal mask hides are not read."""
        return self.whole.reach is not None

    @cached_property
    def origins(self) -> tuple[int, ...]:
        return tuple(sorted({o for step in self.steps for o in step.origins}))

    @property
    def ops(self) -> tuple[str, ...]:
        return tuple(op for step in self.steps for op in step.ops)

    def traffic(self) -> tuple[int, int]:
        """(bytes read, bytes written): each operand and the result once, since the scores are never
        in memory."""
        read, written = (
            sum(b.type.at_hint().bytes for b in side) for side in (self.inputs, self.outputs)
        )
        return read, written

    def flops(self) -> int:
        """Counts the scores that are not masked: half of them for a causal mask."""
        w = self.whole
        pairs = hint(w.heads) * w.pairs
        return pairs * (2 * (w.depth + w.width) + _SOFTMAX) + work.flops(w.score.kernel)

    def lines(self) -> list[Line]:
        w = self.whole
        reach = "" if w.reach is None else f", key <= row + {w.reach}"
        sizes = f"{w.heads} x [{w.rows},{w.depth}] with {w.keys} keys{reach}"
        lines = [(f"attention {self.name}  # {sizes}", self.origins)]
        for name, part in w.named.items():
            own = text.lines(part.kernel)[2:]
            lines += [(f"  {name}", part.kernel.origins), *own]
        return lines


# The arithmetic of the softmax for each score: subtract the largest, exponential, sum (weights of
# ir/ops/).
_SOFTMAX = 12
