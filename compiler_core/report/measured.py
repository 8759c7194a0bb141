"""How the times of a program were taken, in one line, and what they may be compared with."""

from collections.abc import Mapping

from compiler_core.report.results import Measurement
from compiler_core.report.vocabulary import Framework

_JAX = "JAX without jit, operation by operation"
_ANEW = ", every loop and branch compiled anew at each call"
# What eager is, first where there is nothing to say of loops.
BASELINES: Mapping[Framework, tuple[str, ...]] = {
    "torch": ("PyTorch, operation by operation",),
    "jax": (_JAX, _JAX + _ANEW),
}


def protocol(m: Measurement) -> str:
    """How the measurement was made, in one line."""
    parts = (
        m.baseline and f"baseline: {m.baseline}",
        f"{m.rounds} rounds of interleaved samples in {m.blocks} blocks over {m.seconds:.1f} s",
        f"{m.threads} threads",
        f"a busy machine: others took {m.others:.1f} of {m.processors} processors"
        if m.busy
        else "",
        *m.notes,
    )
    return "; ".join(filter(None, parts))
