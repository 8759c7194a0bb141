"""Reasons to keep two groups apart, other than those of the lowering."""

from compiler_core.fuse import cost
from compiler_core.fuse.clusters import Cluster
from compiler_core.fuse.group import Group
from compiler_core.ir.graph import Value
from compiler_core.ir.library import callee_of
from compiler_core.ir.types import BOOL
from compiler_core.kernel.effects import Phase, Reduce, Scan
from compiler_core.kernel.kernel import Kernel, operands, roots
from compiler_core.kernel.online import online
from compiler_core.kernel.refusal import FusionRefusal
from compiler_core.kernel.updates import in_order
from compiler_core.report.reasons import Reason, RefusalKind
from compiler_core.wording import counted


def _refusal(kind: RefusalKind, why: str) -> FusionRefusal:
    return FusionRefusal(Reason(kind, why))


BETWEEN = _refusal(
    "kernel between",
    "another launch must run between them: it depends on one, and the other depends on it",
)


def too_wide(whole: Cluster) -> FusionRefusal | None:
    """A refusal if the kernel of `whole` would have too many operations, or too many buffers."""
    if len(whole.captured) > cost.MAX_OPS:
        return _refusal(
            "too large", f"the fused kernel would have more than {cost.MAX_OPS} operations"
        )
    if len(whole.outputs) + len(whole.reads) > cost.MAX_BUFFERS:
        return _refusal(
            "too large",
            f"the fused kernel would read and write more than {cost.MAX_BUFFERS} buffers",
        )
    return None


def against(kernel: Kernel, model: cost.CostModel) -> FusionRefusal | None:
    """A refusal whatever the merge saves: the kernel needs more registers than there are, would run
    its scans in sequence, or is wrong."""
    return _too_large(kernel) or _scans_in_order(kernel, model) or wrong(kernel, model)


def wrong(kernel: Kernel, model: cost.CostModel) -> FusionRefusal | None:
    """A refusal of a kernel whose result would be incorrect, or nondeterministic where torch was
    told to be deterministic."""
    return _in_any_order(kernel, model) or _waits_for_total(kernel)


def _too_large(kernel: Kernel) -> FusionRefusal | None:
    """A refusal if the merged kernel needs more registers than there are."""
    live = cost.live_values(kernel)
    if live > cost.MAX_LIVE:
        return _refusal(
            "too large",
            f"the fused kernel would keep {live} values live at once, more than registers hold",
        )
    return None


def _in_any_order(kernel: Kernel, model: cost.CostModel) -> FusionRefusal | None:
    """A refusal, where torch was told to be deterministic, if the merged kernel could apply its
    updates only in an unspecified order, and their order changes the result."""
    if not model.deterministic or len(kernel.effects) == 1 or not in_order(kernel):
        return None
    return _refusal(
        "deterministic",
        "torch was told to be deterministic: a kernel applies scattered updates in a fixed order "
        "only where the scatter is its only result",
    )


def _waits_for_total(kernel: Kernel) -> FusionRefusal | None:
    """A refusal if an effect inside the only loop depends on a reduction over that loop, unless an
    online algorithm computes both in one pass, as it does a variance."""
    if kernel.kind == "full" and _uses_total(kernel) and _uses_total(online(kernel) or kernel):
        return _refusal(
            "total of all",
            "every element needs a reduction over all elements, complete only after a first launch",
        )
    return None


def _scans_in_order(kernel: Kernel, model: cost.CostModel) -> FusionRefusal | None:
    """A refusal if a reduction would share the loop of a scan, which goes from element to element
    then: OpenMP scans in vectors where nothing else is combined. Apart, all of both is in vectors;
    a product of transmittances with exponentials before it and a sum behind took 5,420 us as one
    loop, of which eager takes 2,558."""
    if not model.scans_apart or not any(_is_of_both(phase) for phase in kernel.phases):
        return None
    return _refusal(
        "scan loop",
        "a loop with both a scan and a reduction is not vectorized; as two kernels, both are",
    )


def _is_of_both(phase: Phase) -> bool:
    """Whether a phase has one scan, of numbers, and reductions beside it."""
    scans = [e for e in phase.effects if isinstance(e, Scan)]
    numbers = len(scans) == 1 and len(scans[0].names) == 1 and scans[0].dtypes[0] is not BOOL
    return numbers and any(isinstance(e, Reduce) for e in phase.effects)


# Why work grows though nothing is repeated: a loop without a reduction is split where masks change,
# one with a reduction is not.
_CHOOSES = (
    "alone, the producer runs one loop for each operand that it puts together; fused, every "
    "element selects among all of them"
)


def costs_more(
    a: Group, b: Group, merged: Group, saved_us: float, model: cost.CostModel
) -> FusionRefusal | None:
    """A refusal if the merge costs more than it saves, in work or in bytes."""
    return _repeats(a, b, merged, saved_us, model) or _reads_across(a, b, merged, saved_us, model)


def _repeats(
    a: Group, b: Group, merged: Group, saved_us: float, model: cost.CostModel
) -> FusionRefusal | None:
    """A refusal if the merged kernel repeats work that costs more than the merge saves: a producer
    read at several indices, or at more points than it has elements; or
    one whose own loops are split, so that a point does part of it."""
    loss = (merged.work - a.work - b.work) / model.ops_per_us
    if loss <= saved_us:
        return None
    costs = f"{loss:.1f} us more against {saved_us:.1f} us saved"
    own, after = cost.arithmetic(a.kernel), cost.arithmetic(merged.kernel)
    times = round((after - cost.arithmetic(b.kernel)) / max(1, own))
    if times <= 1:
        return _refusal("slower as one", f"{_CHOOSES}: {costs}")
    again = sum(n.op != "reduce" for n in a.members)
    done = f"the producer's {counted(again, 'operation')} would be computed {times} times over"
    return _refusal("repeated work", f"{done}: {costs}")


def _reads_across(
    a: Group, b: Group, merged: Group, saved_us: float, model: cost.CostModel
) -> FusionRefusal | None:
    """A refusal if the merged kernel walks across what one of the two reads in the order of memory,
    as a sum over columns does in a loop over the rows of a square, and that costs more than the
    merge saves."""
    parts = cost.across_bytes(a.kernel) + cost.across_bytes(b.kernel)
    more = cost.across_bytes(merged.kernel) - parts
    loss = more * (cost.WASTED - 1) / model.bytes_per_us
    if loss <= saved_us:
        return None
    return _refusal(
        "across memory",
        f"one kernel runs along rows, the other along columns: as one they would read {more} bytes "
        f"across cache lines, {loss:.1f} us more against {saved_us:.1f} us saved",
    )


def _uses_total(kernel: Kernel) -> bool:
    for effect in kernel.effects:
        if kernel.is_tile_effect(effect):
            needed = kernel.needed(roots(effect))
            read = {*roots(effect), *(a for d in needed for a in operands(d))}
            if read & set(kernel.reductions):
                return True
    return False


# What the plan may generate as a template, with kernels beside it in the same launch: it decides,
# and says, whether it does (plan/apart.py).
TEMPLATES = {"dot_general": "a matrix product", "convolution": "a convolution"}


def no_kernel(node: Value) -> Reason:
    """Why an operation that is no loop nest (a product, a library call, control flow) cannot be
    fused with the kernels that write its operands or read its results."""
    if template := TEMPLATES.get(node.op):
        why = f"{template} is no loop nest but a template: the plan decides what is fused with it"
        return Reason("no loop", why)
    if callee := callee_of(node.operation):
        return Reason("library call", f"{callee} is a library call: the core does not lower it")
    if node.operation.regions:
        why = f"{node.op} runs its body as kernels of its own: none is fused across its boundary"
        return Reason("own kernels", why)
    return Reason("no loop", f"{node.op} is not lowered to a loop nest that a kernel could share")
