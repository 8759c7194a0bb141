"""Fuselab as a back end of torch.compile, in any process that has the package installed:

    torch.compile(model, backend="fuselab")

Dynamo finds the graphs, guards them and compiles again where a guard fails; AOTAutograd splits them
into forward and backward graphs; the pipeline compiles each. A graph that the core refuses is run
by torch, with a warning that says which, why and what to do.
"""

import warnings
from collections.abc import Sequence
from typing import Any

from compiler_core.capture.torch.dynamo import aot, private
from compiler_core.capture.torch.dynamo.lowered import lower
from compiler_core.capture.torch.dynamo.pieces import Piece, Recorder
from compiler_core.capture.torch.dynamo.said_sizes import with_sizes_named
from compiler_core.capture.torch.dynamo.sizes import with_sizes
from compiler_core.errors import FuselabError, own_fault
from compiler_core.ir.sizes import Undecided
from compiler_core.pipeline.one_graph import compile_graph


class FuselabFallback(UserWarning):
    """Warns that a graph is run by torch, operation by operation."""


# The remedy for a refusal that names none itself.
_APART = (
    "put what is refused into a function under @torch.compiler.disable: "
    "what comes before and after it is then compiled"
)
_NUMBERS_ALONE = "one of its operations is lowered for numbers alone, and for no symbol"


class FuselabSpecialised(UserWarning):
    """Warns that a graph with symbolic sizes is compiled again for each set of sizes that
    occurs."""


def fuselab(module: Any, inputs: Sequence[Any], **_: Any) -> Any:
    """The back end: torch.compile calls it with each graph that Dynamo finds, and calls what it
    returns. Options are ignored."""
    recorder = Recorder(on_piece=_compile, on_other_call=_warn_of_torch)
    run = recorder.backend(module, inputs)
    for each in recorder.refused:
        _warn_of_torch(each.reason)
    return run


def _warn_of_torch(reason: str) -> None:
    _warn(FuselabFallback, f"a graph is run by torch, operation by operation: {reason}")


# Otherwise Dynamo leaves recurrent layers to Python, and says so to nobody.
private.called_within(private.recurrent, fuselab)


def _compile(piece: Piece) -> None:
    """What was compiled of a piece runs from here on; torch itself where that is refused."""
    try:
        with aot.without_modes():
            lowered = lower(piece, 0, 0)
            executable = compile_graph(lowered.graph, piece.device)
        piece.run = lowered.runner(executable)
    except FuselabError as error:
        if not isinstance(error, Undecided) and not piece.has_symbols:
            _fall_back(piece, error.message, error.remedy)
            return
        _compile_with_sizes(piece, str(error))
    except Exception as error:
        if piece.has_symbols:
            _compile_with_sizes(piece, _NUMBERS_ALONE)
        else:
            fault = own_fault(error)
            _fall_back(piece, f"a fault of Fuselab's: {fault.message}", fault.remedy)


def _compile_with_sizes(piece: Piece, reason: str) -> None:
    """What cannot be said of every size may hold for those of a call."""
    why = with_sizes_named(reason, piece)
    _warn(FuselabSpecialised, f"{_named(piece)} is compiled for each size anew: {why}")
    with_sizes(piece, _compile, _fall_back)


def _fall_back(piece: Piece, reason: str, remedy: str = "") -> None:
    """Lines of `reason` after the first, such as a tool's output, come last."""
    sentence, *more = reason.splitlines() or [""]
    said = f"{_named(piece)} is run by torch, operation by operation: {sentence}"
    _warn(FuselabFallback, "\n".join((said, f"  {remedy or _APART}", *more)))


def _warn(kind: type[Warning], text: str) -> None:
    warnings.warn(f"fuselab: {text}", kind, stacklevel=2)


def _named(piece: Piece) -> str:
    """`the forward graph of 12 operations (add, gelu, ...)`."""
    names = [n.name for n in piece.module.graph.nodes if n.op == "call_function"]
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"the {piece.role} graph of {len(names)} operations ({shown})"


__all__ = ["FuselabFallback", "FuselabSpecialised", "fuselab"]
