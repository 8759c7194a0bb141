"""TorchInductor's reasons not to fuse in plain words, with a remedy where there is one. An unknown
reason is shown as it is."""

from collections.abc import Iterable
from typing import NamedTuple


class Reason(NamedTuple):
    """`begins` is how Inductor's own reason begins."""

    begins: str
    why: str
    remedy: str = ""


_CALLED = "one of them is a call of a library, into which Inductor fuses nothing"
_RANGES = "their loops run over different ranges, and one kernel has one set of loops"

_REASONS = (
    Reason("not considered", _CALLED),
    Reason("node1 is extern", _CALLED),
    Reason("node2 is extern", _CALLED),
    Reason("no shared data", "no element is read by both at the same place of their loops"),
    Reason("numel/rnumel mismatch", _RANGES),
    Reason("nodes numel", _RANGES),
    Reason("the C++ back end does not put these loops together", _RANGES),
    Reason("tiling mismatch", "they walk the same data in tiles of different shapes"),
    Reason("invalid tiling", "their reductions need tiles of different shapes"),
    Reason("memory deps did not match", "one reads other elements than the other has just written"),
    Reason("intermediate nodes between", "something else has to run between them"),
    Reason("score_fusion_memory_threshold", "what they share is too little to be worth it"),
    Reason("will create cycle", "a third kernel needs one of them and is needed by the other"),
    Reason("node1 must go before node2", "the second needs the whole result of the first"),
    Reason("device mismatch", "they are on different devices", "keep what is used together on one"),
    Reason("fusion for buffer explicit disabled", "Inductor keeps this value out of fusions"),
    Reason("register spilling", "together they would need more registers than there are"),
    Reason("Split scan", "a scan in several parts shares its kernel with no reduction"),
    Reason("template", "the template of this product takes no such neighbour"),
    Reason("prologue fusion", "what comes before a template would be computed too often in it"),
)


# The remedy for such a call if the mode is not max-autotune; and if it is, for a GPU that is not
# present.
TEMPLATE = "torch.compile(mode='max-autotune') may take a template"
TIMED_THERE = "on the GPU itself max-autotune, which is asked for, times templates too"
# By back end, the calls for which there is a template: torch/_inductor/kernel, and utils.py,
# use_cpp_bmm_template.
_TEMPLATES = {
    "gpu": frozenset(("mm", "addmm", "bmm", "baddbmm", "convolution")),
    "cpu": frozenset(("bmm",)),
}


def has_template(called: Iterable[str], backend: str) -> bool:
    """Whether max-autotune has templates on `backend` for one of the library calls `called` (such
    as `extern_kernels.mm`), which themselves fuse with nothing."""
    names = {each.rpartition(".")[2] for each in called}
    return bool(names & _TEMPLATES[backend])


def plain(reason: str) -> Reason:
    """TorchInductor's reason with its explanation in plain words; the reason alone if it is not
    known."""
    return next((r for r in _REASONS if reason.startswith(r.begins)), Reason("", reason))
