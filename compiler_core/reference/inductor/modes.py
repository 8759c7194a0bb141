"""What a mode of torch.compile did in a program, in one sentence."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from compiler_core.reference.inductor.graph_skips import in_words
from compiler_core.wording import counted

_OF_A_GPU = "CUDA graphs are a GPU's: on the CPU the code is the default mode's"
# torch/_inductor/utils.py, use_cpp_gemm_template and use_cpp_bmm_template.
_NO_CHOICE = {
    "cpu": "nothing to choose from: on a CPU Inductor has templates for batched products of f32, "
    "and for products whose weights are frozen, which this mode does not ask for",
    "cuda": "nothing to choose from: no operation that Inductor has several kernels for",
}
_FIXED = "no size became a symbol"


@dataclass(frozen=True)
class Seen:
    """What was observed of a compilation: the device of the program's tensors, the number of
    operations whose candidates were timed, the reasons against CUDA graphs, and the symbolic
    sizes."""

    device: str
    choices: int = 0
    refused: Sequence[str] = ()
    symbols: Sequence[str] = ()


def said(mode: str, seen: Seen) -> str:
    """The sentence for what was `seen` in a mode; "" for the default mode."""
    return _SAID[mode](seen) if mode in _SAID else ""


def _replayed(seen: Seen) -> str:
    if seen.device == "cpu":
        return _OF_A_GPU
    why = "; ".join(dict.fromkeys(map(in_words, seen.refused)))
    return f"CUDA graphs skipped: {why}" if why else "replayed as CUDA graphs"


def _tuned(seen: Seen) -> str:
    if not seen.choices:
        return _NO_CHOICE["cpu" if seen.device == "cpu" else "cuda"]
    return f"candidates timed for {counted(seen.choices, 'operation')}"


def _symbolic(seen: Seen) -> str:
    return f"sizes that are symbols: {', '.join(seen.symbols)}" if seen.symbols else _FIXED


_SAID: dict[str, Callable[[Seen], str]] = {
    "reduce-overhead": _replayed,
    "max-autotune": _tuned,
    "dynamic": _symbolic,
}
