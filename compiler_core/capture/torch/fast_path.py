"""torch's fast path of Transformer modules in evaluation mode. A TransformerEncoder that is given a
padding mask skips the padded positions there and fills them with zeros; TorchDynamo and the core
follow the ordinary path, which computes them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from compiler_core.snippet.program import FoundProgram

OFF = (
    "PyTorch's fast path of TransformerEncoder is off while `{name}` is compared and measured, as "
    "in what torch.compile makes of it: with a padding mask it gives zeros at padded positions"
)


@contextmanager
def without_fast_path() -> Iterator[None]:
    """Context in which eager computes what a compiler sees."""
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def would_take_it(program: FoundProgram) -> bool:
    """Whether the program reaches a module that takes this path if it is given a mask."""
    torch = sys.modules.get("torch")
    if torch is None or program.framework != "torch" or program.gradients:
        return False
    from compiler_core.capture.torch.dynamo.state import modules

    reached = modules(program.fn, (program.args, dict(program.kwargs)))
    kind = torch.nn.TransformerEncoder
    return any(isinstance(m, kind) and m.use_nested_tensor and not m.training for m in reached)
